// What lowered async generators and for await call. In a lowered body an await
// is a yield of an Await, and an async generator is a generator that is driven
// here. The shapes are those that the rewriting makes.
(function () {
  'use strict';
  const { apply } = Reflect, P = Promise, T = TypeError, O = Object, S = String;
  const asyncKey = Symbol.asyncIterator, syncKey = Symbol.iterator, tagKey = Symbol.toStringTag;
  const generators = O.getPrototypeOf(function* () {}).prototype;
  const resume = { __proto__: null, next: generators.next, throw: generators.throw, return: generators.return };
  const isObject = (v) => typeof v === 'object' && v !== null || typeof v === 'function';
  const named = (v) => typeof v === 'string' ? '"' + v + '"' : isObject(v) ? '#<Object>' : S(v);
  const demandObject = (r) => {
    if (!isObject(r)) throw new T('Iterator result ' + named(r) + ' is not an object');
    return r;
  };
  // wait goes on one tick after a value has settled, as await does.
  const wait = async (v, good, bad) => {
    let x;
    try { x = await v } catch (e) { bad(e); return }
    good(x);
  };

  function Await(value, isResult) {
    this.value = value;
    this.isResult = isResult; // of an iterator that is delegated to
  }

  // The engine behind one async generator: requests queue up, one runs at a time.
  class Engine {
    #generator; #queue = []; #state = 'fresh';
    constructor(generator) { this.#generator = generator }
    request(how, value) {
      return new P((good, bad) => {
        this.#queue[this.#queue.length] = { how, value, good, bad };
        if (this.#state !== 'running') this.#take();
      });
    }
    #take() {
      if (this.#queue.length === 0) return;
      const { how, value } = this.#queue[0], state = this.#state;
      if (how !== 'next' && state === 'fresh') this.#state = 'done';
      if (this.#state === 'done') {
        this.#state = 'running';
        if (how === 'next') this.#settle('good', undefined, true, 'done');
        else if (how === 'throw') this.#settle('bad', value, true, 'done');
        else wait(value, (x) => this.#settle('good', x, true, 'done'), (e) => this.#settle('bad', e, true, 'done'));
        return;
      }
      this.#state = 'running';
      if (how === 'return') wait(value, (x) => this.#step('return', x), (e) => this.#step('throw', e));
      else this.#step(how, value);
    }
    #step(how, value) {
      let r;
      try { r = apply(resume[how], this.#generator, [value]) } catch (e) { this.#settle('bad', e, true, 'done'); return }
      const v = r.value, fail = (e) => this.#step('throw', e);
      if (v instanceof Await) wait(v.value, (x) => this.#step('next', v.isResult ? { done: demandObject(x).done, value: x.value } : x), fail);
      else if (r.done) wait(v, (x) => this.#settle('good', x, true, 'done'), (e) => this.#settle('bad', e, true, 'done'));
      else wait(v, (x) => this.#settle('good', x, false, 'waiting'), fail);
    }
    #settle(how, value, done, state) {
      const queue = this.#queue, first = queue[0];
      for (let i = 1; i < queue.length; i++) queue[i - 1] = queue[i];
      queue.length--;
      this.#state = state;
      if (how === 'good') first.good({ value, done });
      else first.bad(value);
      if (this.#state !== 'running') this.#take();
    }
  }
  const engines = new WeakMap(), get = engines.get, set = engines.set;
  const request = (o, how, value) => {
    const engine = isObject(o) ? apply(get, engines, [o]) : undefined;
    if (engine === undefined) return P.reject(new T(how + ' method called on incompatible receiver ' + named(o)));
    return engine.request(how, value);
  };
  const hide = (to, key, value) => O.defineProperty(to, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });
  const iterators = {};
  hide(iterators, asyncKey, { [asyncKey]() { return this } }[asyncKey]);
  const proto = O.create(iterators);
  hide(proto, 'next', { next(value) { return request(this, 'next', value) } }.next);
  hide(proto, 'return', { return(value) { return request(this, 'return', value) } }.return);
  hide(proto, 'throw', { throw(value) { return request(this, 'throw', value) } }.throw);
  O.defineProperty(proto, tagKey, { __proto__: null, value: 'AsyncGenerator', configurable: true });
  const asyncGenerator = (self, args, body) => {
    const made = O.create(proto);
    apply(set, engines, [made, new Engine(apply(body, self, args === null ? [] : args))]);
    return made;
  };

  // fromSync makes an async iterator of one that is not.
  const fromSync = (iterator) => {
    const next = iterator.next;
    const settle = (r, good, bad) => {
      const done = !!demandObject(r).done;
      wait(r.value, (value) => good({ value, done }), (e) => {
        if (!done) try { iterator.return?.() } catch {}
        bad(e);
      });
    };
    const part = (name, missing) => (...values) => new P((good, bad) => {
      const method = name === 'next' ? next : iterator[name];
      if (method === undefined || method === null) missing(good, bad, values[0]);
      else settle(apply(method, iterator, values), good, bad);
    });
    return {
      next: part('next'), return: part('return', (good, bad, value) => good({ value, done: true })),
      throw: part('throw', (good, bad, e) => bad(e)),
    };
  };
  const describe = (v) => v === undefined || v === null ? S(v) : isObject(v) ? typeof v === 'function' ? v.name : 'object' : named(v);
  const openIterator = (v) => {
    const method = v === undefined || v === null ? undefined : v[asyncKey];
    if (v === undefined || v === null) throw new T('Cannot read properties of ' + S(v) + " (reading 'Symbol(Symbol.asyncIterator)')");
    if (method !== undefined && method !== null) {
      const made = apply(method, v, []);
      if (!isObject(made)) throw new T('Result of the Symbol.asyncIterator method is not an object');
      return made;
    }
    const sync = v === undefined || v === null ? undefined : v[syncKey];
    if (typeof sync !== 'function') throw new T(describe(v) + ' is not async iterable');
    return fromSync(apply(sync, v, []));
  };
  const forAwait = (v) => {
    const iterator = openIterator(v), next = iterator.next;
    return {
      next() {
        const r = apply(next, iterator, []);
        return r instanceof P ? r : demandObject(r);
      },
      get return() {
        const method = iterator.return;
        return method === undefined || method === null ? undefined : (...values) => apply(method, iterator, values);
      },
    };
  };
  // yieldStar is what a generator delegates to: each result comes in two turns,
  // one that awaits it and one that passes it on.
  const yieldStar = (v) => {
    const iterator = openIterator(v);
    let waiting = false;
    const part = (name) => (value) => {
      if (waiting) {
        waiting = false;
        if (name === 'throw') throw value;
        return value;
      }
      const method = iterator[name];
      if (method === undefined || method === null) {
        if (name === 'return') return { done: true, value };
        throw new T("The iterator does not provide a 'throw' method");
      }
      waiting = true;
      return { done: false, value: new Await(apply(method, iterator, [value]), true) };
    };
    return { [syncKey]() { return this }, next: part('next'), return: part('return'), throw: part('throw') };
  };
  return { __proto__: null, await: Await, asyncGenerator, forAwait, yieldStar };
})
