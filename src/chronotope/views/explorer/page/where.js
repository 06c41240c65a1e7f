// The time slider and the place chooser, shared by all charts of a view through the address.
"use strict";

{
  const TOGETHER = 1500;
  const PACE = 1100;

  const find = (labels, wanted) => labels.findIndex((label) => label.toLowerCase() === wanted.toLowerCase());

  /**
   * The condition of an address, with defaults for missing parameters. The case of labels is ignored; an unknown label
   * is an error that lists the known ones.
   */
  ct.stateOf = function (params, acts = false) {
    const { times, places, conditions, default_time } = ct.about;
    const asked = params.at === undefined ? null : conditions[find(conditions.map((one) => one.label), params.at)];
    let time = times.length ? times.indexOf(default_time) : null;
    let place = places.length ? largestPlace() : null;
    if (time === -1) time = times.length - 1;
    if (params.place !== undefined && places.length) place = found("place", places, params.place);
    if (asked) [time, place] = [asked.time, params.place === undefined ? (asked.place ?? place) : place];
    else if (params.at !== undefined) time = found(times.length ? "time" : "place", times.length ? times : places, params.at);
    if (!times.length && !asked && params.at !== undefined) [time, place] = [null, time];
    const here = conditions.find((one) => (one.time ?? null) === (time ?? null) && (one.place ?? null) === (place ?? null));
    return {
      time,
      at: time === null ? null : times[time],
      place: place === null ? null : places[place],
      condition: here ? here.label : null,
      // With time × place, questions over time are about one place.
      within: times.length && places.length ? places[place] : null,
      acts,
      choose: (label) => void ct.address.change(ct.placeOf(label)),
      choosePlace: (label) => void ct.address.change({ place: label }),
    };
  };

  function found(kind, labels, wanted) {
    const at = find(labels, wanted);
    if (at >= 0) return at;
    throw Object.assign(new Error(`There is no ${kind} “${wanted}” in this model.`), { kind: "unknown_condition", labels, axis: kind });
  }

  function largestPlace() {
    const sums = ct.about.places.map(() => 0);
    for (const one of ct.about.conditions) sums[one.place] += one.tokens;
    return sums.indexOf(Math.max(...sums));
  }

  /** The address parameters of a condition. */
  ct.placeOf = function (label) {
    const { times, places, conditions } = ct.about;
    const one = conditions.find((condition) => condition.label === label);
    // A series within one place may name its time bins alone.
    if (!one) return times.includes(label) ? { at: label } : places.includes(label) ? { place: label } : {};
    return { at: one.time === null ? null : times[one.time], place: one.place === null ? null : places[one.place] };
  };

  /** The position of the chosen condition among labels of conditions, time bins or places. */
  ct.nowIn = function (labels, state) {
    if (!state.acts) return -1;
    const whole = labels.indexOf(state.condition);
    return whole >= 0 ? whole : labels.indexOf(state.at);
  };

  /** The name of a condition: in a chart about one place, its time. */
  ct.namer = (state) => (label) => {
    const at = state.within !== null && ct.placeOf(label).place === state.place ? ct.placeOf(label).at : null;
    return ct.format.label(at ?? label);
  };

  /** The bar with slider and chooser. */
  ct.where = function (element) {
    const { times, places } = ct.about;
    let moved = -Infinity;
    let pending = 0;
    let playing = 0;
    /** @type {State} */
    let state = null;

    const label = ct.h("output", { class: "current", for: "time" });
    const slider = ct.h("input", { id: "time", type: "range", min: 0, max: Math.max(times.length - 1, 0), step: 1, "aria-label": "Time" });
    const history = ct.h("div", { class: "history", "aria-hidden": "true" });
    const play = ct.h(
      "button",
      { class: "play", type: "button", "aria-pressed": "false", "aria-label": "Play through time", onclick: () => (playing ? stop() : start()) },
      ct.h("span", { class: "glyph", "aria-hidden": "true" }),
    );
    const options = places.map((place) => ct.h("option", { value: place }, place));
    const select = ct.h("select", { id: "place", onchange: () => ct.address.change({ place: select.value }) }, options);
    const ends = [times[0], times[times.length - 1]].map((end) => ct.h("span", null, ct.format.label(end)));
    const track = ct.h("div", { class: "track" }, history, slider, ct.h("div", { class: "ends", "aria-hidden": "true" }, ends));
    const when = ct.h("div", { class: "when" }, play, label, track);
    const where = ct.h("label", { class: "place" }, ct.h("span", null, "Place"), select);
    ct.replace(element, ct.h("div", { class: "inside" }, when, where));
    ct.set(element, { role: "region", "aria-label": "Time and place" });

    /** A drag is one step of Back, however many bins it passes. */
    function to(position) {
      const now = performance.now();
      pending++;
      if (!ct.address.change({ at: times[position] }, now - moved < TOGETHER)) pending--;
      moved = now;
    }

    // Any other change of the address (Back, a link, a place) ends the drag.
    window.addEventListener("hashchange", () => {
      if (pending > 0) pending--;
      else moved = -Infinity;
    });

    slider.addEventListener("input", () => {
      stop();
      to(Number(slider.value));
    });

    const pressed = (on) => ct.set(play, { "aria-pressed": String(on), "aria-label": on ? "Stop" : "Play through time" });

    function start() {
      pressed(true);
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
      pressed(false);
    }

    return {
      /** Show the controls that the view uses; `rates` (frequencies of the word over time) are drawn above the slider. */
      show(next, uses, rates) {
        state = next;
        when.hidden = !(uses.time && times.length > 1);
        // Without times there is no time line of a place to choose.
        where.hidden = !(uses.place && places.length > 1 && (uses.time || times.length));
        element.hidden = next === null || (when.hidden && where.hidden);
        if (element.hidden || when.hidden) stop();
        if (element.hidden) return;
        if (!when.hidden) {
          slider.value = String(next.time);
          slider.setAttribute("aria-valuetext", ct.format.label(next.at));
          label.textContent = ct.format.label(next.at);
          if (rates !== undefined) bars(rates || []);
          [...history.children].forEach((bar, at) => bar.classList.toggle("now", at === next.time));
        }
        select.value = next.place;
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
}
