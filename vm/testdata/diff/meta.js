// == symbols
const s = Symbol('desc'), o = { [s]: 1 }; print(s.toString(), s.description, Symbol().description, Symbol.for('k') === Symbol.for('k'), Symbol.keyFor(Symbol.for('k')), Symbol.keyFor(s), typeof s, Object.keys(o), o[s], s in o); fails(() => s + 1); fails(() => new Symbol());
// == well-known symbols
print(['iterator', 'asyncIterator', 'hasInstance', 'isConcatSpreadable', 'match', 'matchAll', 'replace', 'search', 'species', 'split', 'toPrimitive', 'toStringTag', 'unscopables'].map((n) => String(Symbol[n])), Symbol.iterator.description);
// == toPrimitive and toStringTag
const o = { [Symbol.toPrimitive]: (h) => h === 'number' ? 7 : h === 'string' ? 'str' : 'def', get [Symbol.toStringTag]() { return 'Mine' } }; print(+o, `${o}`, o + '', String(o), Object.prototype.toString.call(o));
// == a proxy that counts reads
const seen = []; const p = new Proxy({ a: 1, b: { c: 2 } }, { get(t, k, r) { seen.push(String(k)); return Reflect.get(t, k, r) }, has(t, k) { seen.push('has ' + String(k)); return k in t } }); p.a; 'b' in p; const { b } = p; p.b.c; print(seen);
// == all traps
const log2 = []; const h = new Proxy({}, { get: (_, name) => (...a) => { log2.push(name); return Reflect[name](...a) } }); const p = new Proxy({ x: 1 }, h); p.x; p.y = 2; delete p.y; 'x' in p; Object.keys(p); Object.getPrototypeOf(p); Object.isExtensible(p); Object.defineProperty(p, 'z', { value: 1, configurable: true }); Object.preventExtensions(p); print(log2);
// == proxies of functions and classes
const f = new Proxy(function (a) { return a }, { apply: (t, self, args) => 'called ' + args.length, construct: (t, args) => ({ made: args }) }); print(f(1, 2), new f(3), typeof f, f.length); class A { constructor(x) { this.x = x } } const B = new Proxy(A, { construct(t, args, nt) { return Reflect.construct(t, [args[0] * 2], nt) } }); print(new B(4), new B(1) instanceof A);
// == default values and negative indices by proxies
const d = new Proxy({}, { get: (t, k) => k in t ? t[k] : 0 }); d.hits += 5; const neg = new Proxy([1, 2, 3], { get: (t, k, r) => Reflect.get(t, +k < 0 ? t.length + +k : k, r) }); print(d.hits, d.miss, neg[-1], neg.length, neg.map((x) => x * 2));
// == validation by a set trap
const v = new Proxy({}, { set(t, k, x) { if (typeof x !== 'number') throw new TypeError(k + ' must be a number'); t[k] = x; return true } }); v.a = 1; fails(() => { v.b = 'x' }); const f = new Proxy({}, { set: () => false }); f.x = 1; print(f.x); fails(() => { 'use strict'; f.x = 1 });
// == Reflect
const o = { a: 1, get b() { return this.c } }; print(Reflect.get(o, 'b', { c: 9 }), Reflect.set(o, 'a', 2), Reflect.has(o, 'a'), Reflect.ownKeys({ b: 1, 1: 1, [Symbol('s')]: 1 }), Reflect.deleteProperty(o, 'a'), Reflect.apply(Math.max, null, [1, 2]), Reflect.construct(Array, [3]).length, Reflect.getPrototypeOf([]) === Array.prototype, Reflect.defineProperty(Object.freeze({}), 'x', { value: 1 }), Reflect.isExtensible(o), Reflect[Symbol.toStringTag]);
// == bind, call and apply
function f(...a) { return [this?.n ?? typeof this, ...a] } const b = f.bind({ n: 'bound' }, 1); print(b(2), f.call('s'), f.apply(null, [1]), b.name, b.length, new (function () { this.z = 1 }.bind({ q: 1 }))().z, f.bind().name); fails(() => f.apply(null, 5)); fails(() => Function.prototype.call.call(1));
// == closures, currying and composition
const curry = (f, ...a) => a.length >= f.length ? f(...a) : (...b) => curry(f, ...a, ...b); const pipe = (...fs) => (x) => fs.reduce((v, f) => f(v), x); const memo = (f, c = new Map()) => (x) => c.has(x) ? c.get(x) : (c.set(x, f(x)), c.get(x)); let n = 0; const sq = memo((x) => (n++, x * x)); print(curry((a, b, c) => a + b + c)(1)(2)(3), pipe((x) => x + 1, (x) => x * 2)(3), sq(4), sq(4), n);
// == function properties
function f(a, b) {} f.extra = 1; print(Object.getOwnPropertyNames(f).sort(), f.prototype.constructor === f, Object.getOwnPropertyNames(() => {}).sort(), Object.getOwnPropertyNames(class { static x = 1 }).sort()); fails(() => { 'use strict'; f.name = 'x' }); fails(() => (function () { 'use strict'; return arguments.callee })());
// == names that are inferred
const a = () => {}, o = { b: () => {}, ['c' + 1]: function () {}, d() {}, get e() { return 1 }, [Symbol('s')]: () => {} }; let { f = () => {} } = {}; const [g = function () {}] = []; print(a.name, o.b.name, o.c1.name, o.d.name, Object.getOwnPropertyDescriptor(o, 'e').get.name, o[Object.getOwnPropertySymbols(o)[0]].name, f.name, g.name, (() => {}).name, new Function.prototype.constructor.prototype.constructor === 1);
// == names of bound, class and default members
class A { static s() {} #p() {} get g() { return 1 } static n = () => {}; f = function () {} } print(A.s.name, A.n.name, new A().f.name, (function () {}).bind().name, (class {}).name, ((x = class {}) => x.name)());
// == immediately invoked functions and comma callees
print((function () { return typeof this })(), (() => 1)(), !function () { return 0 }(), (0, [1].at)?.call([5], 0), void function () {}());
// == getters on globals and shadowing
globalThis.answer = 42; print(answer, (() => { const answer = 1; return answer })(), 'answer' in globalThis); delete globalThis.answer; print(typeof answer);
// == instanceof with Symbol.hasInstance
const Even = { [Symbol.hasInstance]: (n) => n % 2 === 0 }; print(2 instanceof Even, 3 instanceof Even, Object.create(Array.prototype) instanceof Array); fails(() => 1 instanceof undefined);
// == species, isConcatSpreadable and unscopables
class A extends Array { static get [Symbol.species]() { return Array } } print(new A(1, 2).map((x) => x).constructor.name, [].concat(Object.assign([1], { [Symbol.isConcatSpreadable]: false })).length); with ({ x: 1, [Symbol.unscopables]: { x: true } }) print(typeof x);
// == observers by accessors
const watch = (o, f) => { for (const k of Object.keys(o)) { let v = o[k]; Object.defineProperty(o, k, { get: () => v, set: (x) => { f(k, v, x); v = x }, enumerable: true }) } return o }; const o = watch({ a: 1 }, (k, a, b) => print(k, a, b)); o.a = 2; o.a++; print(o);
// == an event emitter
class Emitter { #h = new Map(); on(e, f) { (this.#h.get(e) ?? this.#h.set(e, new Set()).get(e)).add(f); return () => this.#h.get(e).delete(f) } emit(e, ...a) { for (const f of [...(this.#h.get(e) ?? [])]) f(...a) } } const e = new Emitter(); const off = e.on('x', (v) => print('one', v)); e.on('x', (v) => print('two', v)); e.emit('x', 1); off(); e.emit('x', 2); e.emit('none');
// == a state machine and a visitor
const m = { idle: { start: 'busy' }, busy: { done: 'idle', fail: 'broken' }, broken: {} }; print(['start', 'done', 'start', 'fail', 'start'].reduce((s, e) => m[s][e] ?? s, 'idle')); const visit = (n, v) => v[n.t]?.(n, (c) => visit(c, v)); print(visit({ t: '+', l: { t: 'n', v: 1 }, r: { t: 'n', v: 2 } }, { n: (n) => n.v, '+': (n, go) => go(n.l) + go(n.r) }));
// == Function.prototype.toString of natives and bound functions
print(String(parseInt), String(function () {}.bind()), String(Math.max), String(class {}), typeof Function.prototype, Function.prototype.length);
// == Atomics and shared buffers
const b = new SharedArrayBuffer(8), a = new Int32Array(b); print(Atomics.add(a, 0, 5), Atomics.load(a, 0), Atomics.compareExchange(a, 0, 5, 9), a[0], b.byteLength, Object.prototype.toString.call(b), Object.prototype.toString.call(Atomics));
