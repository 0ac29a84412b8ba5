// Iterator with its helpers.
(function (host) {
  'use strict';
  const { apply } = Reflect, O = Object, T = TypeError, R = RangeError, S = String, W = WeakMap, number = Number;
  const key = Symbol.iterator, tagKey = Symbol.toStringTag, define = O.defineProperty, create = O.create;
  const proto = O.getPrototypeOf(O.getPrototypeOf([][key]()));
  const show = host.show;
  const isObject = (v) => typeof v === 'object' && v !== null || typeof v === 'function';
  const hide = (to, name, value) => define(to, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  const get = W.prototype.get, set = W.prototype.set, has = W.prototype.has, helpers = new W();

  const record = (o, name) => {
    if (!isObject(o)) throw new T('Iterator.prototype.' + name + ' called on non-object');
    return { it: o, next: o.next };
  };
  const close = (it) => { const f = it.return; if (f !== undefined && f !== null) apply(f, it, []); };
  const closing = (it, f) => {
    let failed = true;
    try { const v = f(); failed = false; return v; } finally { if (failed) { try { close(it); } catch {} } }
  };
  const step = (r) => {
    const v = apply(r.next, r.it, []);
    if (!isObject(v)) throw new T('Iterator result ' + show(v) + ' is not an object');
    return v;
  };
  const callback = (o, f) => { if (typeof f !== 'function') throw new T(show(f) + ' is not a function'); };

  // A helper is an iterator over a source; its body is a generator that closes
  // the source itself.
  const wrapped = create(proto);
  const state = (o, name) => {
    const s = isObject(o) ? apply(get, helpers, [o]) : undefined;
    if (s === undefined) throw new T('Iterator Helper.prototype.' + name + ' called on incompatible receiver ' + show(o));
    return s;
  };
  hide(wrapped, 'next', { next() {
    const s = state(this, 'next');
    if (s.busy) throw new T('Generator is already running');
    if (s.done) return { value: undefined, done: true };
    s.busy = s.begun = true;
    try {
      const r = s.take();
      if (r.done) s.done = true;
      return { value: r.value, done: r.done };
    } catch (e) { s.done = true; throw e; } finally { s.busy = false; }
  } }.next);
  hide(wrapped, 'return', { return() {
    const s = state(this, 'return');
    if (!s.done) {
      s.done = true;
      if (s.inner) close(s.inner.it);
      close(s.source.it);
    }
    return { value: undefined, done: true };
  } }.return);
  define(wrapped, tagKey, { __proto__: null, value: 'Iterator Helper', configurable: true });
  const end = { __proto__: null, value: undefined, done: true };
  const helper = (source, make) => {
    const made = create(wrapped), s = { __proto__: null, source, done: false, busy: false, inner: null, take: null };
    s.take = make(s);
    apply(set, helpers, [made, s]);
    return made;
  };
  const limit = (o, n) => {
    const count = number(n);
    if (count !== count) throw new R(show(n) + ' must be positive');
    const whole = count < 0 ? Math.ceil(count) : Math.floor(count);
    if (whole < 0) throw new R(show(n) + ' must be positive');
    return whole;
  };
  const flattened = (v) => {
    if (!isObject(v)) throw new T(show(v) + ' is not an object');
    const open = v[key];
    const it = open === undefined || open === null ? v : apply(open, v, []);
    if (!isObject(it)) throw new T(show(it) + ' is not an object');
    return { it, next: it.next };
  };
  const methods = {
    map(mapper) {
      const o = this; callback(o, mapper);
      const r = record(o, 'map'); let i = 0;
      return helper(r, () => () => { const v = step(r); return v.done ? end : { value: closing(r.it, () => mapper(v.value, i++)), done: false }; });
    },
    filter(predicate) {
      const o = this; callback(o, predicate);
      const r = record(o, 'filter'); let i = 0;
      return helper(r, () => () => {
        for (;;) {
          const v = step(r);
          if (v.done) return end;
          const value = v.value;
          if (closing(r.it, () => predicate(value, i++))) return { value, done: false };
        }
      });
    },
    take(n) {
      const o = this; let left = limit(o, n);
      const r = record(o, 'take');
      return helper(r, () => () => {
        if (left <= 0) { close(r.it); return end; }
        left--;
        const v = step(r);
        return v.done ? end : { value: v.value, done: false };
      });
    },
    drop(n) {
      const o = this; let left = limit(o, n);
      const r = record(o, 'drop');
      return helper(r, () => () => {
        for (; left > 0; left--) if (step(r).done) return end;
        const v = step(r);
        return v.done ? end : { value: v.value, done: false };
      });
    },
    flatMap(mapper) {
      const o = this; callback(o, mapper);
      const r = record(o, 'flatMap'); let i = 0;
      return helper(r, (s) => () => {
        for (;;) {
          if (s.inner === null) {
            const v = step(r);
            if (v.done) return end;
            s.inner = closing(r.it, () => flattened(mapper(v.value, i++)));
          }
          const v = closing(r.it, () => step(s.inner));
          if (!v.done) return { value: v.value, done: false };
          s.inner = null;
        }
      });
    },
    reduce(reducer) {
      const o = this; callback(o, reducer);
      const r = record(o, 'reduce'); let i = 0, acc = arguments[1];
      if (arguments.length < 2) {
        const v = step(r);
        if (v.done) throw new T('Reduce of a done iterator with no initial value');
        acc = v.value; i = 1;
      }
      for (let v = step(r); !v.done; v = step(r)) { const value = v.value; acc = closing(r.it, () => reducer(acc, value, i++)); }
      return acc;
    },
    toArray() {
      const r = record(this, 'toArray'), out = [];
      for (let v = step(r); !v.done; v = step(r)) out[out.length] = v.value;
      return out;
    },
    forEach(f) {
      const o = this; callback(o, f);
      const r = record(o, 'forEach'); let i = 0;
      for (let v = step(r); !v.done; v = step(r)) { const value = v.value; closing(r.it, () => f(value, i++)); }
    },
    some(predicate) { return search(this, predicate, 'some', true, () => true, false); },
    every(predicate) { return search(this, predicate, 'every', false, () => false, true); },
    find(predicate) { return search(this, predicate, 'find', true, (v) => v, undefined); },
  };
  const search = (o, predicate, name, want, found, missing) => {
    callback(o, predicate);
    const r = record(o, name); let i = 0;
    for (let v = step(r); !v.done; v = step(r)) {
      const value = v.value;
      if (!!closing(r.it, () => predicate(value, i++)) === want) { close(r.it); return found(value); }
    }
    return missing;
  };

  function Iterator() {
    if (new.target === undefined) throw new T("Constructor Iterator requires 'new'");
    if (new.target === Iterator) throw new T('Abstract class Iterator not directly constructable');
  }
  define(Iterator, 'prototype', { __proto__: null, value: proto, writable: false });
  const foreign = create(proto);
  hide(foreign, 'next', { next() { const r = apply(get, helpers, [this]).source; return apply(r.next, r.it, []); } }.next);
  hide(foreign, 'return', { return() {
    const it = apply(get, helpers, [this]).source.it, f = it.return;
    return f === undefined || f === null ? { value: undefined, done: true } : apply(f, it, []);
  } }.return);
  hide(Iterator, 'from', { from(value) {
    if (typeof value !== 'string' && !isObject(value)) throw new T(show(value) + ' is not an object');
    const open = value[key];
    const it = open === undefined || open === null ? value : apply(open, value, []);
    if (!isObject(it)) throw new T(show(it) + ' is not an object');
    if (it instanceof Iterator) return it;
    const made = create(foreign);
    apply(set, helpers, [made, { __proto__: null, source: { it, next: it.next } }]);
    return made;
  } }.from);
  const tag = { get [tagKey]() { return 'Iterator'; }, set [tagKey](v) { if (this === proto) throw new T('Cannot assign to this property'); define(this, tagKey, { __proto__: null, value: v, writable: true, enumerable: true, configurable: true }); } };
  const d = O.getOwnPropertyDescriptor(tag, tagKey);
  define(proto, tagKey, { __proto__: null, get: d.get, set: d.set, configurable: true, enumerable: false });
  hide(proto, 'constructor', Iterator);
  return { __proto__: null, Iterator, methods };
})
