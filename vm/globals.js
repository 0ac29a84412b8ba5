// The language with its holes closed: no clock, no chance, no code from strings,
// dates in UTC, and bounds on the built-ins that one call could hang or kill
// the process with.
(function (host, maxString, maxArray) {
  'use strict';
  const { apply, construct, ownKeys } = Reflect;
  const define = Object.defineProperty, descriptor = Object.getOwnPropertyDescriptor;
  const protoOf = Object.getPrototypeOf, setProtoOf = Object.setPrototypeOf, toPrimitiveKey = Symbol.toPrimitive;
  const E = Error, T = TypeError, EE = EvalError, R = RangeError;
  const string = String, number = Number, floor = Math.floor;

  const replace = (object, key, value) =>
    define(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  const shape = (f, name, length) => {
    define(f, 'name', { __proto__: null, value: name, configurable: true });
    define(f, 'length', { __proto__: null, value: length, configurable: true });
    return f;
  };

  // --- code from strings ---
  const banned = (name) => shape(function () {
    throw new EE(name + ' is not available in workflow scripts: code from strings is refused');
  }, name, 1);
  const bannedFunction = banned('Function');
  define(bannedFunction, 'prototype', { __proto__: null, value: Function.prototype, writable: false });
  replace(Function.prototype, 'constructor', bannedFunction);
  replace(globalThis, 'Function', bannedFunction);
  replace(globalThis, 'eval', banned('eval'));
  replace(protoOf(async function () {}), 'constructor', banned('AsyncFunction'));
  replace(protoOf(function* () {}), 'constructor', banned('GeneratorFunction'));

  delete globalThis.GoError; // the engine's own, and no part of the language

  // --- clock and chance ---
  replace(Math, 'random', shape(() => {
    throw new E('Math.random() is not available in workflow scripts, because a run must be repeatable: ' +
      'vary prompts by an index instead');
  }, 'random', 0));


  // late puts off what costs time to build until the script first names it.
  const late = (names, build) => {
    const natives = names.map((name) => globalThis[name]);
    let built = false;
    const settle = () => {
      if (built) return;
      built = true;
      for (let i = 0; i < names.length; i++) replace(globalThis, names[i], natives[i]);
      build(natives);
    };
    names.forEach((name) => {
      define(globalThis, name, {
        __proto__: null, configurable: true, enumerable: false,
        get() { settle(); return globalThis[name]; },
        set(value) { settle(); replace(globalThis, name, value); },
      });
    });
  };

  // Errors of the engine are put into Node's words before a handler sees one.
  const nativeThen = Promise.prototype.then;
  replace(Promise.prototype, 'then', { then(onFulfilled, onRejected) {
    return apply(nativeThen, this, [onFulfilled, typeof onRejected === 'function' ? (e) => onRejected(host.seen(e)) : onRejected]);
  } }.then);

  // Regular expressions with all flags. A script may also come to the constructor
  // by way of an expression.
  const expressions = RegExp.prototype;
  const patterns = (natives) => {
    const Made = host.late('RegExp', natives[0]);
    replace(globalThis, 'RegExp', Made);
  };
  late(['RegExp'], patterns);
  define(expressions, 'constructor', {
    __proto__: null, configurable: true, enumerable: false,
    get() { return globalThis.RegExp; },
    set(value) { replace(expressions, 'constructor', value); },
  });

  // Dates without a clock, and in UTC.
  late(['Date'], (natives) => {
    const NativeDate = natives[0], utc = NativeDate.UTC, nativeParse = NativeDate.parse, D = NativeDate.prototype;
    const getTime = D.getTime, primitive = toPrimitiveKey;
    const noClock = (what) => {
      throw new E(what + ' is not available in workflow scripts, because a run must be repeatable: ' +
        'pass the time in through args (new Date(value) works)');
    };
    const zones = ['Z', ' GMT', ' UTC'];
    // Text without a zone is UTC here, whatever the zone of the process.
    const offset = /\b(?:GMT|UTC)\s*([+-])(\d\d):?(\d\d)\b/, slashes = /^\s*(\d{1,2})\/(\d{1,2})\/\d/;
    const parse = (text) => {
      const far = offset.exec(text), order = slashes.exec(text);
      if (far !== null) {
        const time = parse(text.replace(far[0], ''));
        return time - (far[1] + '1') * (far[2] * 60 + +far[3]) * 60000;
      }
      if (order !== null && (order[1] > 12 || order[2] > 31)) return NaN;
      for (let i = 0; i < zones.length; i++) {
        const time = nativeParse(text + zones[i]);
        if (time === time) return time;
      }
      return nativeParse(text);
    };
    const dateArguments = (list) => {
      if (list.length > 1) return [apply(utc, undefined, list)];
      let value = list[0];
      if (typeof value === 'object' && value !== null) {
        if (isDate(value)) return [apply(getTime, value, [])];
        value = toPrimitive(value);
      }
      return [typeof value === 'string' ? parse(value) : value];
    };
    const isDate = (v) => { try { apply(getTime, v, []); return true; } catch { return false; } };
    const toPrimitive = (v) => {
      const exotic = v[primitive];
      if (exotic !== undefined && exotic !== null) return apply(exotic, v, ['default']);
      for (let i = 0; i < 2; i++) {
        const f = i ? v.toString : v.valueOf;
        if (typeof f !== 'function') continue;
        const p = apply(f, v, []);
        if (typeof p !== 'object' || p === null) return p;
      }
      throw new T('Cannot convert object to primitive value');
    };
    const UTCDate = shape(function (...list) {
      if (new.target === undefined) noClock('Date()');
      if (list.length === 0) noClock('argless new Date()');
      return construct(NativeDate, dateArguments(list), new.target);
    }, 'Date', 7);
    define(UTCDate, 'prototype', { __proto__: null, value: D, writable: false });
    replace(D, 'constructor', UTCDate);
    replace(UTCDate, 'UTC', utc);
    replace(UTCDate, 'parse', shape((text) => parse(string(text)), 'parse', 1));
    replace(UTCDate, 'now', shape(() => noClock('Date.now()'), 'now', 0));
    replace(globalThis, 'Date', UTCDate);
    const isoText = D.toISOString, farYear = /^([+-])(\d{1,5})-/;
    replace(D, 'toISOString', { toISOString() {
      const text = apply(isoText, this, []), far = farYear.exec(text);
      return far === null ? text : far[1] + ('00000' + far[2]).slice(-6) + text.slice(far[0].length - 1);
    } }.toISOString);
    const fields = ['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];
    for (let i = 0; i < 2 * fields.length; i++) {
      const way = i % 2 ? 'set' : 'get', part = fields[i >> 1], native = D[way + 'UTC' + part];
      replace(D, way + part, shape(function (...list) { return apply(native, this, list); }, way + part, native.length));
    }
    const getUTCDay = D.getUTCDay;
    replace(D, 'getDay', shape(function () { return apply(getUTCDay, this, []); }, 'getDay', 0));
    replace(D, 'getTimezoneOffset', shape(function () {
      const time = apply(getTime, this, []);
      return time === time ? 0 : NaN;
    }, 'getTimezoneOffset', 0));
    const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
    const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    const get = { day: getUTCDay, date: D.getUTCDate, month: D.getUTCMonth, year: D.getUTCFullYear,
      hours: D.getUTCHours, minutes: D.getUTCMinutes, seconds: D.getUTCSeconds };
    const two = (n) => (n < 10 ? '0' : '') + n;
    const year = (n) => {
      let digits = string(n < 0 ? -n : n);
      while (digits.length < 4) digits = '0' + digits;
      return (n < 0 ? '-' : '') + digits;
    };
    const parts = (d) => {
      const time = apply(getTime, d, []);
      if (time !== time) return null;
      const p = { __proto__: null };
      for (const name in get) p[name] = apply(get[name], d, []);
      return p;
    };
    const dateText = (p) => days[p.day] + ' ' + months[p.month] + ' ' + two(p.date) + ' ' + year(p.year);
    const timeText = (p) => two(p.hours) + ':' + two(p.minutes) + ':' + two(p.seconds) + ' GMT+0000 (Coordinated Universal Time)';
    const usDate = (p) => (p.month + 1) + '/' + p.date + '/' + p.year;
    const usTime = (p) => (p.hours % 12 || 12) + ':' + two(p.minutes) + ':' + two(p.seconds) + (p.hours < 12 ? ' AM' : ' PM');
    const formats = {
      toString: (p) => dateText(p) + ' ' + timeText(p), toDateString: dateText, toTimeString: timeText,
      toLocaleString: (p) => usDate(p) + ', ' + usTime(p), toLocaleDateString: usDate, toLocaleTimeString: usTime,
    };
    for (const name in formats) {
      const format = formats[name];
      replace(D, name, shape(function () {
        const p = parts(this);
        return p === null ? 'Invalid Date' : format(p);
      }, name, 0));
    }
  });

  // --- bounds ---
  const bound = (what, n, max, unit) => {
    if (n > max) host.limit('MEMORY', what + ' asked for ' + n + ' ' + unit + ', more than ' + max);
  };
  const wrap = (object, name, check) => {
    const native = object[name];
    replace(object, name, shape(function (...list) {
      check(this, list);
      return apply(native, this, list);
    }, name, native.length));
  };
  const S = String.prototype;
  wrap(S, 'repeat', (self, list) => {
    if (self === undefined || self === null) return;
    list[0] = number(list[0]);
    bound('repeat()', string(self).length * list[0], maxString, 'characters');
  });
  for (const name of ['padStart', 'padEnd']) {
    wrap(S, name, (self, list) => {
      list[0] = number(list[0]);
      bound(name + '()', list[0], maxString, 'characters');
    });
  }
  for (const name of ['fill', 'join', 'indexOf', 'lastIndexOf', 'includes', 'forEach', 'toString']) {
    wrap(Array.prototype, name, (self) => {
      if (typeof self === 'object' && self !== null) bound(name + '()', self.length, maxArray, 'elements');
    });
  }
  const iterator = Symbol.iterator;
  wrap(Array, 'from', (self, list) => {
    const from = list[0];
    if (typeof from === 'object' && from !== null && from[iterator] === undefined) {
      bound('Array.from()', number(from.length), maxArray, 'elements');
    }
  });
  late(['ArrayBuffer', 'Uint8Array', 'Int8Array', 'Uint8ClampedArray', 'Uint16Array', 'Int16Array', 'Uint32Array',
    'Int32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'], (natives) => {
    for (let i = 0; i < natives.length; i++) {
      const Native = natives[i], width = Native.BYTES_PER_ELEMENT || 1, name = Native.name;
      const Bounded = shape(function (...list) {
        if (new.target === undefined) throw new T('Constructor ' + name + " requires 'new'");
        if (typeof list[0] !== 'object' || list[0] === null) {
          list[0] = floor(number(list[0])) || 0;
          bound(name, list[0] * width, maxString, 'bytes');
        }
        return construct(Native, list, new.target);
      }, name, Native.length);
      setProtoOf(Bounded, protoOf(Native));
      const keys = ownKeys(Native);
      for (let k = 0; k < keys.length; k++) {
        if (keys[k] !== 'name' && keys[k] !== 'length') define(Bounded, keys[k], descriptor(Native, keys[k]));
      }
      replace(Native.prototype, 'constructor', Bounded);
      replace(globalThis, name, Bounded);
    }
  });
  // The engine does not count how deep yield* delegates, and a delegation
  // without end would take the process. This adds a call that it counts.
  const generators = protoOf(function* () {}).prototype;
  for (const name of ['next', 'return', 'throw']) {
    const native = generators[name];
    replace(generators, name, { [name](value) { return apply(native, this, [value]); } }[name]);
  }
  const flat = Array.prototype.flat;
  replace(Array.prototype, 'flat', shape(function (depth) {
    depth = depth === undefined ? 1 : number(depth);
    return apply(flat, this, [depth > 100 ? 100 : depth]);
  }, 'flat', 0));

  // The hooks ask host.late for these two when a script first names one. What the
  // engine has is used for names in other scripts than Latin only: it drops
  // slashes at the end and resolves against the root.
  const engineLate = host.late;
  const own = { __proto__: null, T, define, descriptor, ownKeys, apply, string, number, floor, replace, encode: encodeURIComponent, decode: decodeURIComponent, iterate: Symbol.iterator };
  let urls = null;
  host.late = (name, more) => {
    if (name !== 'URL' && name !== 'URLSearchParams') return engineLate(name, more);
    if (urls === null) {
      const Engine = engineLate('URL');
      urls = engineLate('urls')(own, (name) => {
        try { return new Engine('http://' + name).hostname; } catch { return null; }
      });
    }
    return urls[name];
  };
})
