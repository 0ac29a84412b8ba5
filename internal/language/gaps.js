// What the library of Node 22 has and the engine lacks. Each group is made when a
// script first touches one of its names: (group) gives an object of functions.
(function (host) {
  'use strict';
  const { apply } = Reflect, O = Object, P = Promise, T = TypeError, S = String, A = Array, M = Map, W = WeakMap;
  const iteratorKey = Symbol.iterator, asyncKey = Symbol.asyncIterator;
  const define = O.defineProperty, create = O.create, trunc = Math.trunc;
  const substring = S.prototype.substring, weakSet = W.prototype.set, weakDelete = W.prototype.delete;
  const mapGet = M.prototype.get, mapSet = M.prototype.set, mapHas = M.prototype.has;
  const isObject = (v) => typeof v === 'object' && v !== null || typeof v === 'function';
  const show = host.show;
  const demand = (f) => {
    if (typeof f !== 'function') throw new T(show(f) + ' is not a function');
    return f;
  };
  const put = (to, key, value) => define(to, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  const groups = (owner, items, f, start, add) => {
    if (items === undefined || items === null) throw new T(owner + '.groupBy called on null or undefined');
    demand(f);
    const open = items[iteratorKey];
    if (typeof open !== 'function') throw new T(typeof items + ' ' + show(items) + ' is not iterable (cannot read property Symbol(Symbol.iterator))');
    let i = 0;
    for (const item of items) add(start, f(item, i++), item);
    return start;
  };
  const Object_ = {
    groupBy(items, callback) {
      return groups('Object', items, callback, create(null), (to, k, item) => {
        const key = typeof k === 'symbol' ? k : S(k);
        if (key in to) { const list = to[key]; list[list.length] = item; } else put(to, key, [item]);
      });
    },
  };
  const Map_ = {
    groupBy(items, callback) {
      return groups('Map', items, callback, new M(), (to, key, item) => {
        if (apply(mapHas, to, [key])) { const list = apply(mapGet, to, [key]); list[list.length] = item; } else apply(mapSet, to, [key, [item]]);
      });
    },
  };
  const Promise_ = {
    withResolvers() {
      let resolve, reject;
      const promise = new this((good, bad) => { resolve = good; reject = bad; });
      return { promise, resolve, reject };
    },
  };
  const Array_ = {
    fromAsync: async function (items, ...more) {
      const mapper = more[0];
      if (items === undefined || items === null) throw new T('Cannot read properties of ' + S(items) + " (reading 'Symbol(Symbol.asyncIterator)')");
      if (mapper !== undefined) demand(mapper);
      const self = this, thisArg = more[1], made = (n) => typeof self === 'function' && self.prototype !== undefined ? new self(...n) : new A(...n);
      const change = async (v, i) => mapper === undefined ? v : await apply(mapper, thisArg, [v, i]);
      const open = items[asyncKey], sync = items[iteratorKey];
      if ((open === undefined || open === null) && (sync === undefined || sync === null)) {
        const n = host.length(items), out = made([n]);
        for (let i = 0; i < n; i++) put(out, i, await change(await items[i], i));
        out.length = n;
        return out;
      }
      const isAsync = open !== undefined && open !== null;
      const it = apply(isAsync ? open : sync, items, []), next = it.next, out = made([]);
      let i = 0;
      for (;;) {
        let r = apply(next, it, []);
        if (isAsync) r = await r;
        if (!isObject(r)) throw new T('Iterator result ' + show(r) + ' is not an object');
        if (r.done) { out.length = i; return out; }
        try {
          put(out, i, await change(isAsync ? r.value : await r.value, i));
        } catch (e) {
          try { const end = apply(it.return ?? (() => {}), it, []); if (isAsync) await end; } catch {}
          throw e;
        }
        i++;
      }
    },
  };
  const Error_ = {
    captureStackTrace(object, constructor) {
      if (!isObject(object)) throw new T('Invalid argument');
      const name = object.name, message = object.message;
      let head = '';
      try {
        head = name === undefined ? '' : S(name);
        if (message !== undefined && message !== '') head += (head ? ': ' : '') + S(message);
      } catch {}
      define(object, 'stack', { __proto__: null, value: host.stack(head || 'Error', constructor), writable: true, configurable: true, enumerable: false });
    },
  };
  const String_ = {
    isWellFormed() { return host.wellFormed(this, 'isWellFormed', false); },
    toWellFormed() { return host.wellFormed(this, 'toWellFormed', true); },
  };
  const html = (name, tag, attribute) => {
    const text = (self, value) => {
      if (self === undefined || self === null) throw new T('String.prototype.' + name + ' called on null or undefined');
      const open = attribute ? tag + ' ' + attribute + '="' + host.quoted(S(value)) + '"' : tag;
      return '<' + open + '>' + S(self) + '</' + tag + '>';
    };
    return attribute ? { [name](value) { return text(this, value); } }[name] : { [name]() { return text(this); } }[name];
  };
  for (const [name, tag, attribute] of [['anchor', 'a', 'name'], ['big', 'big'], ['blink', 'blink'], ['bold', 'b'], ['fixed', 'tt'], ['fontcolor', 'font', 'color'],
    ['fontsize', 'font', 'size'], ['italics', 'i'], ['link', 'a', 'href'], ['small', 'small'], ['strike', 'strike'], ['sub', 'sub'], ['sup', 'sup']]) {
    String_[name] = html(name, tag, attribute);
  }
  const look = (o, key, part) => {
    for (let at = O(o); at !== null; at = O.getPrototypeOf(at)) {
      const d = O.getOwnPropertyDescriptor(at, key);
      if (d) return d[part];
    }
  };
  const accessor = (o, key, part, f, name) => {
    if (typeof f !== 'function') throw new T('Object.prototype.' + name + ': Expecting function');
    define(O(o), key, { __proto__: null, [part]: f, enumerable: true, configurable: true });
  };
  const ObjectPrototype = {
    __defineGetter__(key, getter) { accessor(this, key, 'get', getter, '__defineGetter__'); },
    __defineSetter__(key, setter) { accessor(this, key, 'set', setter, '__defineSetter__'); },
    __lookupGetter__(key) { return look(this, key, 'get'); },
    __lookupSetter__(key) { return look(this, key, 'set'); },
  };
  String_.substr = { substr(start, length) {
    if (this === undefined || this === null) throw new T('String.prototype.substr called on null or undefined');
    const s = S(this), n = s.length;
    let from = trunc(start) || 0, count = length === undefined ? n : trunc(length) || 0;
    if (from < 0) from = from + n < 0 ? 0 : from + n;
    if (from > n) from = n;
    if (count < 0) count = 0;
    if (count > n - from) count = n - from;
    return apply(substring, s, [from, from + count]);
  } }.substr;
  Promise_.try = { try(f, ...values) { return new this((good) => good(apply(f, undefined, values))); } }.try;
  const RegExp_ = { escape(text) {
    if (typeof text !== 'string') throw new T('Regular expression source must be a string');
    return host.escape(text);
  } };

  // A WeakRef here holds on to its target, and a registry never calls back: what a
  // script sees must not depend on when memory is freed.
  const target = (v, what) => {
    if (!isObject(v) && typeof v !== 'symbol') throw new T(what + ': invalid target');
    return v;
  };
  class WeakRef {
    #held;
    constructor(v) { this.#held = target(v, 'WeakRef'); }
    deref() { return this.#held; }
  }
  class FinalizationRegistry {
    #tokens = new W();
    constructor(cleanup) { if (typeof cleanup !== 'function') throw new T('FinalizationRegistry: cleanup must be callable'); }
    register(v, held, token) { target(v, 'FinalizationRegistry.prototype.register'); if (token !== undefined) apply(weakSet, this.#tokens, [token, true]); }
    unregister(token) { return apply(weakDelete, this.#tokens, [token]); }
  }
  for (const C of [WeakRef, FinalizationRegistry]) define(C.prototype, Symbol.toStringTag, { __proto__: null, value: C.name, configurable: true });
  return { __proto__: null, Object: Object_, Map: Map_, Promise: Promise_, Array: Array_, Error: Error_, RegExp: RegExp_, StringPrototype: String_, ObjectPrototype, WeakRef, FinalizationRegistry };
})
