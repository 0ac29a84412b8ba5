// RegExp with the expressions that our own matcher matches. Such an expression is
// an object of the engine with a number in it that no script can see or forge,
// and a prototype of its own in front of RegExp.prototype. All others stay with
// the engine, which is faster.
(function (host, Native) {
  'use strict';
  const { apply, construct } = Reflect, O = Object, S = String, E = SyntaxError, T = TypeError;
  const define = O.defineProperty, create = O.create, setProto = O.setPrototypeOf, describe = O.getOwnPropertyDescriptor;
  const proto = Native.prototype, matchKey = Symbol.match, speciesKey = Symbol.species;
  const nativeExec = proto.exec, includes = S.prototype.includes;
  const getter = (name) => describe(proto, name).get;
  const nativeSource = getter('source'), nativeFlags = getter('flags');

  class Given { constructor(o) { return o } }
  class Stamp extends Given {
    #number; #source; #flags;
    constructor(o, number, source, flags) { super(o); this.#number = number; this.#source = source; this.#flags = flags }
    static on(o) { return typeof o === 'object' && o !== null && #number in o }
    static number(o) { return o.#number }
    static source(o) { return o.#source }
    static flags(o) { return o.#flags }
  }

  const escaped = (source) => {
    if (source === '') return '(?:)';
    let out = '', inClass = false;
    for (let i = 0; i < source.length; i++) {
      const c = source[i];
      if (c === '\\') { out += c + (source[++i] ?? ''); continue }
      if (c === '[') inClass = true;
      if (c === ']') inClass = false;
      out += c === '/' && !inClass ? '\\/' : c === '\n' ? '\\n' : c === '\r' ? '\\r' : c;
    }
    return out;
  };
  const hide = (to, name, value) => define(to, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  const has = (o, flag) => apply(includes, Stamp.flags(o), [flag]);
  const exec = (o, text) => host.exec(Stamp.number(o), o, S(text));

  // What own expressions have, each with the engine's for all others.
  const parts = {
    __proto__: null, source: (o) => Stamp.source(o), flags: (o) => Stamp.flags(o), hasIndices: (o) => has(o, 'd'), global: (o) => has(o, 'g'),
    ignoreCase: (o) => has(o, 'i'), multiline: (o) => has(o, 'm'), dotAll: (o) => has(o, 's'), unicode: (o) => has(o, 'u'),
    unicodeSets: (o) => has(o, 'v'), sticky: (o) => has(o, 'y'),
  };
  const dress = (target) => {
    for (const name in parts) {
      const before = describe(proto, name), mine = parts[name];
      const native = before ? before.get : (o) => {
        if (o !== proto && typeof o !== 'object') throw new T('RegExp.prototype.' + name + ' getter called on non-RegExp object');
        return o === proto ? undefined : false;
      };
      const get = describe({ get [name]() { return Stamp.on(this) ? mine(this) : before ? apply(native, this, []) : native(this) } }, name).get;
      define(target, name, { __proto__: null, get, enumerable: false, configurable: true });
    }
    // The engine's test asks no exec that was overridden.
    hide(target, 'test', { test(string) { return this.exec(string) !== null } }.test);
    hide(target, 'exec', { exec(string) { return Stamp.on(this) ? exec(this, string) : apply(nativeExec, this, [string]) } }.exec);
  };
  const ownProto = create(proto);
  dress(ownProto);
  for (const name of ['hasIndices', 'unicodeSets']) define(proto, name, describe(ownProto, name));

  let dressed = false;
  const make = (source, flags, target) => {
    const verdict = host.verdict(source, flags);
    if (typeof verdict === 'string') throw new E(verdict);
    if (target !== RegExp && !dressed) {
      dressed = true; // the methods of a subclass come first, so the common ones must know
      dress(proto);
    }
    if (verdict === undefined) return construct(Native, [source, flags], target);
    let bare = '', sorted = '';
    for (const flag of 'dgimsuvy') if (apply(includes, flags, [flag])) sorted += flag;
    for (const flag of 'gimsuy') if (apply(includes, flags, [flag])) bare += flag;
    const made = construct(Native, ['(?:)', bare], target);
    if (target === RegExp) setProto(made, ownProto);
    return new Stamp(made, verdict, escaped(source), sorted);
  };
  const isNative = (v) => { try { apply(nativeSource, v, []); return v !== proto } catch { return false } };
  const sourceOf = (v) => Stamp.on(v) ? Stamp.source(v) : apply(nativeSource, v, []);
  const flagsOf = (v) => Stamp.on(v) ? Stamp.flags(v) : apply(nativeFlags, v, []);

  function RegExp(pattern, flags) {
    const object = typeof pattern === 'object' && pattern !== null;
    const mark = object ? pattern[matchKey] : undefined;
    const like = object && (mark !== undefined ? !!mark : isNative(pattern));
    if (new.target === undefined && like && flags === undefined && pattern.constructor === RegExp) return pattern;
    let source = pattern;
    if (object && isNative(pattern)) {
      source = sourceOf(pattern);
      if (flags === undefined) flags = flagsOf(pattern);
    } else if (like) {
      source = pattern.source;
      if (flags === undefined) flags = pattern.flags;
    }
    return make(source === undefined ? '' : S(source), flags === undefined ? '' : S(flags), new.target === undefined ? RegExp : new.target);
  }
  define(RegExp, 'prototype', { __proto__: null, value: proto, writable: false });
  define(RegExp, speciesKey, describe(Native, speciesKey));
  hide(proto, 'constructor', RegExp);
  return { __proto__: null, RegExp, literal: (source, flags) => make(source, flags, RegExp) };
})
