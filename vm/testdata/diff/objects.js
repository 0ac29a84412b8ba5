// == integer keys come first
print(Object.keys({ b: 1, 10: 1, a: 1, 2: 1, '-1': 1, '01': 1 }), Object.entries({ z: 1, 1: 2 }), Object.values('ab'));
// == descriptors
const o = { a: 1, get b() { return 2 } }; print(Object.getOwnPropertyDescriptor(o, 'a'), Object.getOwnPropertyDescriptor(o, 'c'), Object.keys(Object.getOwnPropertyDescriptors(o)), typeof Object.getOwnPropertyDescriptor(o, 'b').get);
// == defineProperty and its defaults
const o = Object.defineProperty({}, 'x', { value: 1 }); print(o.x, Object.keys(o), JSON.stringify(o)); fails(() => { 'use strict'; o.x = 2 }); fails(() => Object.defineProperty(o, 'x', { value: 3 })); fails(() => { 'use strict'; delete o.x }); fails(() => Object.defineProperty(o, 'y', { get() {}, value: 1 })); fails(() => Object.defineProperty(1, 'x', {})); fails(() => Object.defineProperty({}, 'x', 5));
// == freeze, seal and preventExtensions
const f = Object.freeze({ a: { b: 1 } }), s = Object.seal({ a: 1 }), p = Object.preventExtensions({ a: 1 }); f.a.b = 2; s.a = 2; delete p.a; print(f, s, p, Object.isFrozen(f), Object.isSealed(s), Object.isExtensible(p)); fails(() => { 'use strict'; f.a = 1 }); fails(() => { 'use strict'; s.b = 1 }); fails(() => { 'use strict'; delete s.a }); fails(() => { 'use strict'; p.z = 1 });
// == assign and spread run getters and skip what is not own
const src = Object.create({ inh: 1 }, { hid: { value: 2 } }); src.own = 3; const o = Object.assign({ a: 1 }, null, { get g() { return 'got' } }, src, 'xy'); print(o, { ...src, ...null, ...[7] }); fails(() => Object.assign(null, {}));
// == create, setPrototypeOf and isPrototypeOf
const a = { hi() { return 'hi ' + this.n } }, b = Object.create(a, { n: { value: 'b', enumerable: true } }); print(b.hi(), a.isPrototypeOf(b), Object.getPrototypeOf(b) === a, Object.create(null) instanceof Object, Object.setPrototypeOf({}, null)); fails(() => Object.create(5)); fails(() => Object.setPrototypeOf({}, 1)); fails(() => { a.__proto__ = b });
// == Object.hasOwn and in
const o = Object.create({ p: 1 }); o.q = undefined; print(Object.hasOwn(o, 'p'), Object.hasOwn(o, 'q'), 'p' in o, o.hasOwnProperty('q'), Object.hasOwn('abc', 1)); fails(() => 'x' in 5); fails(() => 'key' in 'text'); fails(() => Object.hasOwn(null, 'x'));
// == fromEntries and entries
print(Object.fromEntries([['a', 1], ['b', 2], ['a', 3]]), Object.fromEntries(Object.entries({ x: 1, y: 2 }).map(([k, v]) => [v, k]))); fails(() => Object.fromEntries([1])); fails(() => Object.fromEntries(5)); fails(() => Object.entries(null));
// == Object.is
print(Object.is(NaN, NaN), Object.is(0, -0), Object.is({}, {}), Object.is('a', 'a'), Object.is());
// == conversion to object
print(typeof Object(1), Object(null), new Object('s') + 's', Object(Symbol.iterator) == Symbol.iterator); fails(() => Object.keys(undefined)); fails(() => Object.getPrototypeOf(null)); print(Object.keys(5), Object.keys('ab'));
// == toString tags
print([null, undefined, 1, 's', true, [], {}, () => 1, new Date(0), /x/, new Error(), new Map(), Symbol(), 1n, Math, JSON, (function () { return arguments })(), new Proxy([], {}), function* () {}, Promise.resolve()].map((x) => Object.prototype.toString.call(x)));
// == old accessors
const o = {}; o.__defineGetter__('g', () => 5); o.__defineSetter__('g', (v) => print('set', v)); o.g = 1; print(o.g, typeof o.__lookupGetter__('g'), o.__lookupSetter__('x'), Object.keys(o));
// == valueOf and toLocaleString
const o = { toString() { return 'str' } }; print(o.toLocaleString(), Object.prototype.valueOf.call('x') == 'x', o.valueOf() === o, ({}) + '', `${{}}`);
// == deep paths and defaults
const get = (o, p, d) => p.split('.').reduce((x, k) => x?.[k], o) ?? d; print(get({ a: { b: [{ c: 1 }] } }, 'a.b.0.c'), get({}, 'a.b', 'none'), get(null, 'x', 0));
// == merging deeply
const merge = (a, b) => { const out = { ...a }; for (const [k, v] of Object.entries(b)) out[k] = v && typeof v === 'object' && !Array.isArray(v) ? merge(a[k] ?? {}, v) : v; return out }; print(merge({ a: { x: 1, y: 2 }, l: [1] }, { a: { y: 3, z: 4 }, l: [2] }));
// == keys with getters, symbols and what is not enumerable
const s = Symbol('s'), o = { a: 1, [s]: 2 }; Object.defineProperty(o, 'h', { value: 3 }); print(Object.keys(o), Object.getOwnPropertyNames(o), Object.getOwnPropertySymbols(o), Reflect.ownKeys(o), o);
// == property enumeration with shadows
const p = { a: 1, b: 2 }, o = Object.create(p, { a: { value: 1, enumerable: false }, c: { value: 3, enumerable: true } }); const ks = []; for (const k in o) ks.push(k); print(ks);
// == numbers as keys
const o = { 1.5: 'a', 1e21: 'b', 0xff: 'c', '-0': 'd', [-0]: 'e', 1n: 'f' }; print(Object.keys(o));
// == propertyIsEnumerable and constructor
print([].propertyIsEnumerable('length'), ({ a: 1 }).propertyIsEnumerable('a'), ({}).constructor === Object, [].constructor.name, (5).constructor.name, Object.create(null).constructor);
// == defineProperties and getOwnPropertyNames of strings
const o = Object.defineProperties({}, { a: { value: 1, enumerable: true }, b: { get: () => 2, enumerable: true } }); print(o, Object.getOwnPropertyNames('ab'), o.b);
// == setters that throw and inherited setters
const o = { set v(x) { if (x < 0) throw new RangeError('neg'); this._v = x } }, c = Object.create(o); c.v = 1; print(Object.keys(c), c._v); fails(() => { c.v = -1 });
// == proto access
const o = {}; print(o.__proto__ === Object.prototype, '__proto__' in o, Object.hasOwn(o, '__proto__')); o.__proto__ = { x: 1 }; print(o.x); o.__proto__ = 5; print(o.x);
// == sorting and filtering entries
const o = { c: 3, a: 1, b: 2 }; print(Object.fromEntries(Object.entries(o).filter(([, v]) => v > 1).sort(([p], [q]) => p.localeCompare(q))), Object.entries(o).map(([k, v]) => `${k}=${v}`).join('&'));
// == counting with a null object
const c = Object.create(null); for (const w of 'to be or not to be'.split(' ')) c[w] = (c[w] || 0) + 1; print(c, 'constructor' in c);
// == globals can be listed
print(Object.getOwnPropertyDescriptor(globalThis, 'undefined'), typeof globalThis, globalThis === this || this === undefined, Object.getOwnPropertyDescriptor(globalThis, 'Array').enumerable, Object.getOwnPropertyDescriptor(Array.prototype, 'map').enumerable);
// == frozen with getters and nested freeze
const deep = (o) => { Object.values(o).forEach((v) => typeof v === 'object' && v && deep(v)); return Object.freeze(o) }; const o = deep({ a: { b: [1] } }); fails(() => { 'use strict'; o.a.b.push(2) }); fails(() => { 'use strict'; o.a.c = 1 });
// == a strict assignment to what cannot be assigned
'use strict'; fails(() => { undefined = 1 }); fails(() => { 'text'.length = 1 }); fails(() => { (5).x = 1 }); fails(() => { Math.PI = 3 }); fails(() => { delete Object.prototype }); fails(() => { notDeclared = 1 });
