// Numbers that were written as text: seven bits a character (see text_code.py).
"use strict";

window.chronotope = window.chronotope || {};

(function (chronotope) {
  const lib = (chronotope.lib = {});

  // Signed numbers of so many bits (up to 16), one after the other.
  lib.unpack = function (text, bits, count) {
    const values = bits <= 8 ? new Int8Array(count) : new Int16Array(count);
    const sign = 1 << (bits - 1);
    const mask = (1 << bits) - 1;
    let held = 0;
    let have = 0;
    let at = 0;
    for (let number = 0; number < count; number++) {
      while (have < bits) {
        held = ((held << 7) | text.charCodeAt(at++)) & 0x7fffff;
        have += 7;
      }
      have -= bits;
      const value = (held >> have) & mask;
      values[number] = value & sign ? value - mask - 1 : value;
    }
    return values;
  };

  // Numbers from 0 on, small ones short: six bits a character, the seventh says that more follow.
  lib.counted = function (text, count) {
    const values = new Int32Array(count);
    let at = 0;
    for (let number = 0; number < count; number++) {
      let value = 0;
      let shift = 1;
      let code;
      do {
        code = text.charCodeAt(at++);
        value += (code & 63) * shift;
        shift *= 64;
      } while (code & 64);
      values[number] = value;
    }
    return values;
  };
})(window.chronotope);
