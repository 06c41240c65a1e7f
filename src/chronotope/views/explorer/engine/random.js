// Numbers by chance, the same every time: for orders and draws. They are not those that Python draws.
"use strict";

(function (chronotope) {
  // Between 0 and 1, from a state of 32 bits (mulberry32).
  function generator(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
  }

  function shuffle(values, random) {
    for (let last = values.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [values[last], values[other]] = [values[other], values[last]];
    }
    return values;
  }

  function quantile(sorted, share) {
    const place = (sorted.length - 1) * share;
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
  }

  chronotope.lib.random = { generator, shuffle, quantile };
})(window.chronotope);
