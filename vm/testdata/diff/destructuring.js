// == arrays with holes, defaults and a rest
const [a, , b = 'def', ...rest] = [1, 2, undefined, 4, 5]; print(a, b, rest);
// == objects with renames, defaults, computed keys and a rest
const k = 'dyn'; const { a, b: { c = 5, d: [e] } = { d: [7] }, [k + 1]: f, ...rest } = { a: 1, dyn1: 'f', x: 1, y: 2 }; print(a, c, e, f, rest);
// == swapping and assignment patterns
let a = 1, b = 2, o = {}; [a, b] = [b, a]; ({ x: o.p, y: [o.q = 9] } = { x: 1, y: [] }); print(a, b, o);
// == parameters
const f = ({ a = 1, b: { c = 2 } = {} } = {}, [d, e = d] = [3]) => [a, c, d, e]; print(f(), f({ a: 5, b: { c: 6 } }, [7]));
// == an array pattern with defaults inside an object pattern with a default
const { items: [first = {}, second = 'two'] = [] } = {}; print(first, second);
// == the same in a parameter
const f = ({ a: [x = 1, { y = 2 } = {}] = [] } = {}) => [x, y]; print(f(), f({ a: [5] }), f({ a: [5, { y: 6 }] }));
// == iterators, strings, maps and sets
const [x, y] = 'hé', [[k, v]] = new Map([['key', 'val']]), [s] = new Set([9]); print(x, y, k, v, s);
// == defaults are evaluated only when needed
let n = 0; const next = () => ++n; const { a = next(), b = next(), c = next() } = { a: 0, b: undefined, c: null }; print(a, b, c, n);
// == destructuring null
fails(() => { const { a } = null }); fails(() => { const { a: { b } } = {} }); fails(() => { const [a] = {} }); fails(() => { const [a] = null });
// == destructuring undefined in a parameter
fails(() => (({ a }) => a)()); fails(() => (([a]) => a)(undefined));
// == destructuring a number
const { toFixed, missing } = 5; print(typeof toFixed, missing); fails(() => { const [x] = 5 });
// == rest of an object leaves out symbols that were taken and inherited keys
const s = Symbol('s'); const { a, ...r } = { a: 1, b: 2, [s]: 3, __proto__: { c: 4 } }; print(r);
// == for of with entries
const out = []; for (const [i, { n, tags: [t] = ['none'] }] of [{ n: 'a', tags: ['x'] }, { n: 'b' }].entries()) out.push(i, n, t); print(out);
// == nested functions in defaults
const { f = () => 'default', g = function () { return g.name } } = {}; print(f(), f.name, g());
// == order of reads
const seen = []; const p = new Proxy({ b: 2 }, { get(t, k) { seen.push(k); return t[k] } }); const { a = (seen.push('default a'), 1), b } = p; print(seen, a, b);
// == a generator is closed after the last element was taken
function* g() { try { yield 1; yield 2; yield 3 } finally { print('closed') } } const [a, b] = g(); print(a, b);
// == a rest takes everything and closes nothing
function* g() { try { yield 1; yield 2 } finally { print('ended') } } const [a, ...b] = g(); print(a, b);
// == assignment gives its right side
let a, b; const r = ({ a, b } = { a: 1, b: 2, c: 3 }); print(r, a, b);
// == elements of a missing value
const [a, [b] = ['x'], { c } = { c: 'y' }] = []; print(a, b, c);
// == chained assignment of patterns
let a, b, c, d; [a, b] = [c, d] = [1, 2]; print(a, b, c, d);
// == const cannot be assigned
const a = 1; fails(() => { a = 2 }); fails(() => { [a] = [2] }); fails(() => { a++ });
// == a pattern in catch and in for in
try { throw [1, [2]] } catch ([p, [q]]) { print(p, q) } for (const [c] in { key: 1 }) print(c);
// == function parameters with a rest pattern
const f = (a, ...[b, c = 3, ...d]) => [a, b, c, d]; print(f(1), f(1, 2), f(1, 2, 3, 4, 5));
// == getters run once
let n = 0; const { a, a: again } = { get a() { return ++n } }; print(a, again);
// == destructuring keeps sparse slots
const [a = 'hole', b] = [, 2]; print(a, b); const { length, 0: zero } = 'hey'; print(length, zero);
// == names shadow in nested scopes
const x = 1; { const { x: y = x } = {}; print(y); const [x2 = y + 1] = []; print(x2) }
// == computed keys with side effects run in order
const s = []; const k = (v) => (s.push(v), v); const { [k('a')]: a = k('da'), [k('b')]: b = k('db') } = { b: 1 }; print(s, a, b);
// == destructuring in async functions
const f = async ({ items = [] } = {}, ...more) => items.length + more.length; print(await f(), await f({ items: [1] }, 2, 3));
