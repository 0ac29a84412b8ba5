// structuredClone for the kinds of value that a realm without a host can hold.
(function () {
  'use strict';
  const O = Object, M = Map, S = Set, D = Date, R = RegExp, E = Error;
  const { apply } = Reflect, isArray = Array.isArray, define = O.defineProperty;
  const describe = O.getOwnPropertyDescriptor, typeOf = O.prototype.toString;
  const mapEach = M.prototype.forEach, setEach = S.prototype.forEach, mapGet = M.prototype.get, mapSet = M.prototype.set,
    mapHas = M.prototype.has, setAdd = S.prototype.add, setHas = S.prototype.has, getTime = D.prototype.getTime;
  const toStringTag = Symbol.toStringTag, cut = String.prototype.slice;
  const isBuffer = ArrayBuffer.isView, slice = ArrayBuffer.prototype.slice;
  const bytes = describe(ArrayBuffer.prototype, 'byteLength').get;
  const errors = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const deepest = 1000;
  const string = String, boxes = { __proto__: null, '[object Number]': 1, '[object String]': 1, '[object Boolean]': 1, '[object BigInt]': 1, '[object Symbol]': 0 };

  const is = (probe, v, ...rest) => { try { apply(probe, v, rest); return true; } catch { return false; } };
  const refuse = (what) => {
    const e = new E(what + ' could not be cloned.');
    define(e, 'name', { __proto__: null, value: 'DataCloneError', writable: true, configurable: true });
    e.code = 25;
    throw e;
  };
  const put = (to, key, value) =>
    define(to, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  const members = (from, to, clone) => {
    for (const key of O.keys(from)) put(to, key, clone(from[key]));
    return to;
  };
  const cloneError = (v, clone) => {
    const Base = errors[v.name] || E;
    const copy = new Base(v.message);
    const cause = describe(v, 'cause');
    if (cause && 'value' in cause) define(copy, 'cause', { __proto__: null, value: clone(cause.value), writable: true, configurable: true });
    define(copy, 'stack', { __proto__: null, value: v.stack, writable: true, configurable: true });
    return copy;
  };

  const structuredClone = (...list) => {
    if (list.length === 0) throw new TypeError('The "The value argument must be specified" argument must be specified');
    const value = list[0];
    const done = new M();
    let depth = 0;
    const remember = (from, to) => { apply(mapSet, done, [from, to]); return to; };
    const clone = (v) => {
      if (typeof v === 'function' || typeof v === 'symbol') refuse(string(v));
      if (typeof v !== 'object' || v === null) return v;
      if (apply(mapHas, done, [v])) return apply(mapGet, done, [v]);
      if (++depth > deepest) refuse('A value that nests deeper than ' + deepest + ' levels');
      const out = cloneObject(v);
      depth--;
      return out;
    };
    const cloneObject = (v) => {
      if (isArray(v)) {
        const out = remember(v, []);
        out.length = v.length;
        return members(v, out, clone);
      }
      if (is(getTime, v)) return remember(v, new D(apply(getTime, v, [])));
      if (is(mapHas, v, 0)) {
        const out = remember(v, new M()), list = [];
        apply(mapEach, v, [(value, key) => { list.push([key, value]); }]);
        for (const [key, value] of list) apply(mapSet, out, [clone(key), clone(value)]);
        return out;
      }
      if (is(setHas, v, 0)) {
        const out = remember(v, new S()), list = [];
        apply(setEach, v, [(item) => { list.push(item); }]);
        for (const item of list) apply(setAdd, out, [clone(item)]);
        return out;
      }
      if (is(bytes, v)) return remember(v, apply(slice, v, [0]));
      if (isBuffer(v)) return remember(v, new v.constructor(clone(v.buffer), v.byteOffset, v.length === undefined ? v.byteLength : v.length));
      const kind = apply(typeOf, v, []);
      if (kind === '[object RegExp]') return remember(v, new R(v.source, v.flags));
      if (kind === '[object Error]') return remember(v, cloneError(v, clone));
      if (boxes[kind] && O.getPrototypeOf(v) !== O.prototype && v[toStringTag] === undefined || kind === '[object BigInt]') return remember(v, O(v.valueOf()));
      if (kind === '[object Promise]' || kind === '[object WeakMap]' || kind === '[object WeakSet]' || kind === '[object WeakRef]') refuse('#<' + apply(cut, kind, [8, -1]) + '>');
      return members(v, remember(v, {}), clone);
    };
    return clone(value);
  };
  define(structuredClone, 'length', { __proto__: null, value: 2, configurable: true });
  return structuredClone;
})
