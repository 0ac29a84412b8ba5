// == hoisting past a return
print(typeof early, typeof late, early());
return late();
function early() { return 'early' }
function late() { return 'late' }
// == var is hoisted, let is not
print(typeof v);
fails(() => l);
var v = 1; let l = 2;
print(v, l);
// == temporal dead zone in a parameter
fails(() => ((a = b, b = 1) => a)());
print(((a, b = a * 2) => b)(4));
// == for let makes a binding a turn
const fs = [];
for (let i = 0; i < 3; i++) fs.push(() => i);
print(fs.map((f) => f()));
for (var j = 0; j < 3; j++) fs.push(() => j);
print(fs.slice(3).map((f) => f()));
// == closures change a loop variable
const out = [];
for (let i = 0; i < 6; i++) { const f = () => i++; f(); out.push(i) }
print(out);
// == labels leave and continue outer loops
const seen = [];
outer: for (const a of [1, 2, 3]) {
  for (const b of [1, 2, 3]) {
    if (b === 2) continue outer;
    if (a === 3) break outer;
    seen.push(a * 10 + b);
  }
}
print(seen);
// == a labelled block can be left
let steps = '';
block: { steps += 'a'; if (steps) break block; steps += 'b' }
print(steps);
// == switch falls through and has its default in the middle
const f = (x) => { let s = ''; switch (x) { case 1: s += '1'; default: s += 'd'; case 2: s += '2'; break; case 3: s += '3' } return s };
print(f(1), f(2), f(3), f(9));
// == switch compares strictly and evaluates cases in order
const log2 = [], c = (x) => (log2.push(x), x);
switch ('2') { case c(2): print('number'); break; case c('2'): print('string'); break; case c(3): }
print(log2);
// == switch scope is one block
switch (1) { case 0: let a = 1; case 1: fails(() => a); a = 5; print(a) }
// == comma, void and in
print((1, 2, 3), void 'x', 'a' in { a: 0 }, 1 in [7, 8], 5 in [7, 8]);
// == exponent is right associative
let x = 2; x **= 3;
print(2 ** 3 ** 2, (-2) ** 2, x, 2 ** -1);
// == unary minus before exponent does not parse
return -2 ** 2
// == nullish coalescing and its assignment
let a = null, b = 0, n = { v: undefined };
a ??= 'set'; b ??= 'not'; n.v ??= 'deep'; n.w ||= 1; n.w &&= 2;
print(a, b, n, null ?? undefined ?? 0, (null || undefined) ?? 'z');
// == mixing nullish with or does not parse
return null ?? 1 || 2
// == logical assignment does not evaluate its right side in vain
let hits = 0; const o = { a: 1, b: 0 };
o.a ||= ++hits; o.b &&= ++hits; o.a ??= ++hits;
print(o, hits);
// == optional chaining stops at once
let hit = 0; const q = null, r = { f() { return this.z }, z: 9, arr: [1] };
print(q?.a.b.c.d, q?.[hit++], q?.f(hit++), hit, r?.f?.(), r.g?.(hit++), r.arr?.[0], delete q?.x);
fails(() => (q?.a).b);
// == optional chaining and templates
fails(() => r?.x.y);
const r = {}; print(r.x?.y);
// == optional call on what is no function
fails(() => ({ f: 1 }).f?.());
// == numeric literals
print(1_000_000, 0b1010, 0o17, 0xff, .5, 5., 1e3, 0.1 + 0.2, 010, 1_0.0_1);
// == string escapes
print(['\x41\u0042\u{1F600}\0\t|\
continued'].map(escape), 'a\u2028b'.length, "\v\f".length);
// == template literals keep lines and nest
const name = 'n';
print(`a${`b${`c${name}`}`}
second ${1 + 1} \${x} \u0041`);
// == a sloppy function sees globalThis and may make globals
function f() { return this === globalThis }
made = 5;
print(f(), typeof made, globalThis.made, delete globalThis.made, typeof made);
// == strict functions do not
function f() { 'use strict'; return this }
function g() { 'use strict'; undeclaredName = 1 }
print(f()); fails(g);
// == with statement in sloppy code
const o = { a: 1, b: 2 }; let r;
with (o) { r = a + b; a = 10 }
print(r, o);
// == functions in blocks are hoisted in sloppy code
if (true) { function inner() { return 'inner' } }
print(typeof inner, inner());
// == a function in a block that was not entered
print(typeof never);
if (false) { function never() {} }
print(typeof never);
// == functions in blocks see the block
{ function a() { return 1 } print(a()); a = 2; print(typeof a) }
print(typeof a);
// == strict mode keeps functions in their blocks
'use strict';
{ function inner() {} }
print(typeof inner);
// == in a nested function, too
const f = () => { if (1) { function g() { return 'g' } } return g() };
print(f());
// == arguments follows the parameters in sloppy functions
function f(a, b) { a = 9; arguments[1] = 8; return [arguments[0], b, arguments.length] }
function s(a) { 'use strict'; a = 9; return arguments[0] }
function d(a = 1) { a = 9; return arguments[0] }
print(f(1, 2, 3), s(1), d(2), typeof (() => typeof arguments)());
// == getters and setters on literals
const o = { _v: 1, get v() { return this._v * 2 }, set v(x) { this._v = x }, get ['comp' + 1]() { return 'c' } };
o.v = 21; print(o.v, o.comp1, Object.keys(o));
fails(() => { 'use strict'; const g = { get only() { return 1 } }; g.only = 2 });
// == shorthand, computed and spread members
const a = 1, k = 'x', m = { a, [k + 1]: 2, ...{ b: 3, a: 4 }, f() { return this.b }, async g() {}, *h() {}, 'quoted-key': 1, 5: 'five' };
print(Object.keys(m), m.f(), m.f.name, m.g.name, m.h.name);
// == __proto__ in literals
const p = { inherited: 1 };
const o = { __proto__: p, own: 2 }, q = { ['__proto__']: 3 }, __proto__ = 4, r = { __proto__ };
print(o.inherited, Object.keys(o), Object.keys(q), Object.keys(r), r.__proto__);
// == try, catch and finally decide what is returned
const f = () => { try { return 'try' } finally { print('finally') } };
const g = () => { try { throw 1 } catch { return 'catch' } finally { return 'finally wins' } };
const h = () => { for (const x of [1, 2]) { try { continue } finally { print('f' + x) } } return 'end' };
print(f(), g(), h());
// == catch takes a pattern
try { throw { code: 7, inner: [1, 2] } } catch ({ code, inner: [, second], missing = 'default' }) { print(code, second, missing) }
// == do while and for in
let n = 0; do { n++ } while (n < 3);
const keys = []; for (const k in { b: 1, a: 2, 1: 0, __proto__: { c: 3 } }) keys.push(k);
print(n, keys); for (const i in 'ab') keys.push(i); print(keys);
// == for in sees removals and not additions
const o = { a: 1, b: 2, c: 3 }, seen = [];
for (const k in o) { seen.push(k); if (k === 'a') { delete o.b; o.d = 4 } }
print(seen);
// == default parameters see earlier ones and the outer scope
let y = 'outer';
const f = (a, b = a + y, c = () => b, ...rest) => { b = 'changed'; return [a, b, c(), rest, f.length] };
print(f('p'), f(1, 2, undefined, 4, 5));
// == spread of calls and arrays
const f = (...a) => a.length;
print(f(...[1, 2], 3, ...'ab', ...new Set([5])), [...[,], ...'é'], Math.max(...[3, 9, 2]));
// == automatic semicolons
let a = 1
let b = a
++a
const f = () => { return
  5 }
print(a, b, f())
// == names that are words elsewhere
const async = 1, of = 2, get = 3, set = 4, from = 5, as = 6, target = 7; let let_ = 8, static_ = 9;
print(async + of + get + set + from + as + target + let_ + static_);
const o = { async, get, set, await: 1, yield: 2, class: 3, new: 4 }; print(Object.keys(o), o.class + o.new);
// == unicode names
const größe = 1, 名前 = 2, \u0061b = 3, $_ = 4; print(größe + 名前 + ab + $_, { größe });
// == new.target and instanceof
function F() { return { t: new.target === F } }
print(new F().t, Reflect.construct(function () { this.nt = new.target.name }, [], class Z {}).nt, new (class A { constructor() { this.n = new.target.name } })().n);
// == delete and typeof of what is not there
print(typeof nothing, delete [].length === false ? 'kept' : 'gone', delete {}.x, typeof null, typeof (() => 1), typeof 1n, typeof Symbol());
// == comparison and coercion
print([] + {}, [] == false, null == 0, null >= 0, undefined == null, NaN != NaN, '10' < '9', 10 < '9', [2] > 1, '1' + 1 - 1);
// == objects turn into primitives
const o = { valueOf: () => 42, toString: () => 'text' }, d = { [Symbol.toPrimitive]: (hint) => hint };
print(o + 1, `${o}`, o * 2, [o] + '', `${d}`, +d, d + '', o == 42);
fails(() => +{ valueOf: () => ({}), toString: () => ({}) });
// == html comments and a hashbang of its own line
let x = 1; x = 2 <!-- not code
--> neither is this
print(x);
// == bitwise operators work on 32 bits
print(1 << 31, 1 << 32, -1 >>> 0, -1 >>> 28, 5 & 3, 5 | 3, 5 ^ 3, ~5, 2 ** 32 >> 0, 1e21 | 0);
// == increments and compound assignment evaluate once
let i = 0; const a = [10, 20, 30];
a[i++] += 5; a[i++]++; print(a, i, a[i]-- - --a[2]);
// == getters run when chained with assignment
const order = []; const o = { get a() { order.push('get'); return { set b(v) { order.push('set ' + v) } } } };
o.a.b = (order.push('right'), 1); print(order);
// == order of evaluation
const s = []; const t = (x) => (s.push(x), x);
const obj = { [t('k1')]: t('v1'), [t('k2')]: t('v2') };
[t(0)][t(0)] = t('r'); t('f') && t('g') ; print(s);
// == iterators close on an early break
const closed = []; const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return: () => (closed.push('closed'), {}) }) };
for (const x of it) break; const [first] = it; try { for (const x of it) throw 1 } catch {} print(closed, first);
// == debugger and empty statements do nothing
debugger;;;{} if (1); else; print('ok');
// == a body may be empty
// == return of an object literal
return { a: [1, { b: null }], c: 'text', d: -0, e: 1.5 }
// == return of undefined members
return { a: undefined, b: [undefined] }.b.length
// == throw of a string
throw 'plain text'
// == throw of an error
throw new RangeError('out of range')
// == a failing await at the top
await Promise.reject(new TypeError('rejected'))
// == duplicate let does not parse
let a; let a;
// == missing bracket does not parse
print(1
// == const without a value does not parse
const x;
// == await as a name does not parse
let await = 1;
// == octal in strict code does not parse
'use strict'; return 010
// == import and export do not parse
export const x = 1
// == break outside of a loop does not parse
break;
// == assignment to a call does not parse
f() = 1
// == yield is a name in sloppy code
var yield_ = 1, yield = 2; print(yield + yield_)
// == eight and nine in old octals
print(08, 019, 017)
// == line separators in strings
print('a b'.length, JSON.stringify('\u2028'))
// == regex or division
let a = 8, b = 2, g = 2; print(a / b / g, /b/g.test('abc'), a /b/ g)
// == object patterns in for of
const r = []; for (const { a, b: [c] = [0] } of [{ a: 1, b: [2] }, { a: 3 }]) r.push(a, c); print(r)
// == a long else if chain
const kind = (n) => { if (n < 0) return 'neg'; else if (n === 0) return 'zero'; else if (n < 10) return 'small'; else return 'big' };
print([-1, 0, 5, 50].map(kind));
// == ternaries nest to the right
print([1, 2, 3].map((n) => n === 1 ? 'one' : n === 2 ? 'two' : 'many'));
// == global names of the language
print(['globalThis', 'NaN', 'Infinity', 'undefined', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'encodeURIComponent', 'escape', 'Reflect', 'Proxy', 'WeakMap', 'WeakRef', 'FinalizationRegistry', 'Intl', 'Atomics', 'SharedArrayBuffer', 'Iterator', 'AggregateError', 'BigInt64Array', 'structuredClone', 'queueMicrotask', 'setTimeout'].filter((n) => !(n in globalThis)));
// == function length and name
print(((a, b = 1, c) => {}).length, (function named() {}).name, (() => {}).name, (class C {}).name, ((...r) => {}).length, Object.getOwnPropertyDescriptor(function f(a) {}, 'length').value);
// == toString of a function is its text
const f = async (a, b) => { return a /* kept */ + b }; print(String(f), String(class A { m() {} }).slice(0, 9), String(function* g() { yield 1 }));
