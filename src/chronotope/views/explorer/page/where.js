// Where one looks: the time slider and the place chooser, shared by all charts of a view through the address.
(function (ct) {
  "use strict";

  const TOGETHER = 1500;
  const PACE = 1100;

  // The condition that an address means, with what is left out filled in; labels are found in any case.
  ct.stateOf = function (params) {
    const { times, places, conditions } = ct.about;
    const find = (labels, wanted) => labels.findIndex((label) => label.toLowerCase() === String(wanted).toLowerCase());
    const asked = conditions.find((one) => wantedIs(one.label, params.at));
    let time = times.length ? find(times, params.at ?? "") : null;
    let place = places.length ? find(places, params.place ?? "") : null;
    if (asked && time === -1) time = asked.time;
    if (asked && place === -1 && asked.place !== null) place = asked.place;
    if (time === -1) time = times.length - 1;
    if (place === -1) place = largestPlace();
    const found = conditions.find(
      (one) => (one.time ?? null) === (time ?? null) && (one.place ?? null) === (place ?? null),
    );
    return {
      time,
      at: time === null ? null : times[time],
      place: place === null ? null : places[place],
      condition: found ? found.label : null,
      // Where both axes exist, questions over time are about one place.
      within: times.length && places.length ? places[place] : null,
      choose: (label) => ct.address.change(ct.placeOf(label)),
      choosePlace: (label) => ct.address.change({ place: label }),
    };
  };

  const wantedIs = (label, wanted) => wanted !== undefined && label.toLowerCase() === wanted.toLowerCase();

  function largestPlace() {
    const sums = ct.about.places.map((_, place) =>
      ct.about.conditions.filter((one) => one.place === place).reduce((sum, one) => sum + one.tokens, 0),
    );
    return sums.indexOf(Math.max(...sums));
  }

  // The parameters of an address that mean a condition.
  ct.placeOf = function (label) {
    const { times, places, conditions } = ct.about;
    const one = conditions.find((condition) => condition.label === label);
    // A series within one place may name its time bins alone.
    if (!one) return times.includes(label) ? { at: label } : places.includes(label) ? { place: label } : {};
    return { at: one.time === null ? null : times[one.time], place: one.place === null ? null : places[one.place] };
  };

  // What tells conditions apart, as the head of a column.
  ct.axisName = () =>
    [ct.about.times.length && "time", ct.about.places.length && "place"].filter(Boolean).join(" and ") || "text";

  // The position of the condition looked at among the labels of an answer, which may name whole conditions or time bins.
  ct.nowIn = function (labels, state) {
    const whole = labels.indexOf(state.condition);
    return whole >= 0 ? whole : labels.indexOf(state.at);
  };

  // How a condition is called in a chart about one place: by its time alone.
  ct.namer = (state) => (label) => {
    const at = state && state.within !== null ? ct.placeOf(label).at : null;
    return ct.format.label(at ?? label);
  };

  // The bar with slider and chooser.
  ct.where = function (element) {
    const { times, places } = ct.about;
    let moved = -Infinity;
    let pending = 0;
    let playing = 0;
    let state = null;

    const label = ct.h("output", { class: "current", for: "time" });
    const slider = ct.h("input", {
      id: "time",
      type: "range",
      min: 0,
      max: Math.max(times.length - 1, 0),
      step: 1,
      "aria-label": "Time",
    });
    const history = ct.h("div", { class: "history", "aria-hidden": "true" });
    const play = ct.h(
      "button",
      {
        class: "play",
        type: "button",
        "aria-pressed": "false",
        "aria-label": "Play through time",
        onclick: () => (playing ? stop() : start()),
      },
      ct.h("span", { class: "glyph", "aria-hidden": "true" }),
    );
    const select = ct.h(
      "select",
      { id: "place", onchange: () => ct.address.change({ place: select.value }) },
      places.map((place) => ct.h("option", { value: place }, place)),
    );
    const choices = [];
    if (times.length > 1)
      choices.push(
        ct.h(
          "div",
          { class: "when" },
          play,
          label,
          ct.h(
            "div",
            { class: "track" },
            history,
            slider,
            ct.h(
              "div",
              { class: "ends", "aria-hidden": "true" },
              ct.h("span", null, ct.format.label(times[0])),
              ct.h("span", null, ct.format.label(times[times.length - 1])),
            ),
          ),
        ),
      );
    if (places.length > 1) choices.push(ct.h("label", { class: "place" }, ct.h("span", null, "Place"), select));
    ct.replace(element, ct.h("div", { class: "inside" }, choices));
    element.setAttribute("role", "region");
    element.setAttribute("aria-label", "Time and place");

    // A drag is one step of Back, however many bins it passes.
    function to(position) {
      const now = performance.now();
      pending++;
      if (!ct.address.change({ at: times[position] }, now - moved < TOGETHER)) pending--;
      moved = now;
    }

    // A step that something else made (Back, a link, a place) ends the drag.
    window.addEventListener("hashchange", () => {
      if (pending > 0) pending--;
      else moved = -Infinity;
    });

    slider.addEventListener("input", () => {
      stop();
      to(Number(slider.value));
    });

    function start() {
      play.setAttribute("aria-pressed", "true");
      play.setAttribute("aria-label", "Stop");
      const next = () => {
        const at = state.time + 1;
        if (at >= times.length) return stop();
        to(at);
        return undefined;
      };
      if (state.time >= times.length - 1) to(0);
      else next();
      playing = setInterval(next, PACE);
    }

    function stop() {
      clearInterval(playing);
      playing = 0;
      play.setAttribute("aria-pressed", "false");
      play.setAttribute("aria-label", "Play through time");
    }

    return {
      stop,
      // Shows the bar for a state; `rates` are how often the word occurs in each time bin, drawn above the slider.
      show(next, rates) {
        state = next;
        element.hidden = !choices.length || next === null;
        if (element.hidden) return stop();
        if (times.length > 1) {
          slider.value = String(next.time);
          slider.setAttribute("aria-valuetext", ct.format.label(next.at));
          label.textContent = ct.format.label(next.at);
          if (rates !== undefined) bars(rates || []);
          [...history.children].forEach((bar, at) => bar.classList.toggle("now", at === next.time));
        }
        if (places.length > 1) select.value = next.place;
        return undefined;
      },
    };

    function bars(rates) {
      const most = Math.max(...rates.map((rate) => rate || 0)) || 1;
      ct.join(
        history,
        rates.length ? times.map((time, at) => ({ time, at })) : [],
        (item) => item.time,
        () => ct.h("i"),
        (bar, item) => {
          bar.style.left = `${(100 * item.at) / (times.length - 1)}%`;
          bar.style.height = `${Math.round(((rates[item.at] || 0) / most) * 100)}%`;
        },
      );
    }
  };
})((window.chronotope = window.chronotope || {}));
