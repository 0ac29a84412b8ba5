// == calling what is no function
const o = { a: { b: 1 } }, f = 5, k = 'dyn'; fails(() => f()); fails(() => o.nope()); fails(() => o.a.b()); fails(() => o[k]()); fails(() => o.a['b']()); fails(() => undefined()); fails(() => o.a.nope.call(1));
// == calling results and literals
const f = () => 5, o = { f }; fails(() => f()()); fails(() => o.f()()); fails(() => o.f().g()); fails(() => (1, 2)()); fails(() => 'text'()); fails(() => [1][0]()); fails(() => (() => 1)()()); fails(() => ({}).x()); fails(() => [].x());
// == methods of arrays, strings and numbers that do not exist
const list = [1], s = 'x', n = 5; fails(() => list.contains(1)); fails(() => s.reverse()); fails(() => n.push(1)); fails(() => list[0].foo()); fails(() => s.toLowerCase().foo()); fails(() => list.map((x) => x.y.z));
// == reading a member of undefined and null
const o = { a: undefined, n: null }, k = 'key', i = 3; fails(() => o.a.b); fails(() => o.a[k]); fails(() => o.a[i]); fails(() => o.b.c.d); fails(() => undefined.x); fails(() => o.a.m()); fails(() => o[k].z); fails(() => o.a[Symbol('s')]);
// == reading a member of null
const o = { n: null }; fails(() => o.n.b); fails(() => null.x); fails(() => o.n[0]); fails(() => o.n.m());
// == writing a member of undefined and null
const o = {}; fails(() => { o.a.b = 1 }); fails(() => { o.a[0] = 1 }); fails(() => { o.a.b += 1 }); fails(() => { o.a.b++ }); let n = null; fails(() => { n.x = 1 }); fails(() => { delete o.a.b });
// == destructuring what is missing, with a name
const o = {}; fails(() => { const { a } = o.b }); fails(() => { const [a] = o.b }); fails(() => { const { x: { y } } = o }); fails(() => { for (const { a } of [null]) ; }); fails(() => (({ q }) => q)(null));
// == constructing what is no constructor
const o = { m() {} }, arrow = () => 1; fails(() => new arrow()); fails(() => new o.m()); fails(() => new o()); fails(() => new o.x()); fails(() => new (async () => {})()); fails(() => new Math.max()); fails(() => new 5()); fails(() => new undefined());
// == unknown names
fails(() => nope); fails(() => nope()); fails(() => nope.x); fails(() => { 'use strict'; nope = 1 }); print(typeof nope);
// == constants and the dead zone
const c = 1; fails(() => { c = 2 }); fails(() => { c += 1 }); fails(() => { const x = 1; x = 2 }); fails(() => { early; let early = 1 }); fails(() => { early = 1; const early2 = early; let early });
// == what is not iterable
const o = {}, n = 5; fails(() => [...o]); fails(() => { const [a] = o }); fails(() => { for (const x of n) ; }); fails(() => new Map(n)); fails(() => new Set(o)); fails(() => Math.max(...n)); fails(() => [...undefined]); fails(() => Object.fromEntries(n)); fails(() => { const [x] = null });
// == awaiting and iterating with a spread in a call
const f = (...a) => a, o = { list: undefined }; fails(() => f(...o.list)); fails(() => f(...null)); fails(() => [...o.list, 1]); await failing(() => Promise.all(o.list)); await failing(() => Promise.all(o));
// == in, instanceof and delete
fails(() => 'a' in 'text'); fails(() => 1 in null); fails(() => ({}) instanceof 5); fails(() => ({}) instanceof {}); fails(() => ({}) instanceof (() => 1)); fails(() => { 'use strict'; delete Object.freeze({ a: 1 }).a });
// == symbols and bigints in arithmetic
fails(() => Symbol('s') + ''); fails(() => +Symbol()); fails(() => `${Symbol('t')}`); fails(() => 1n + 1); fails(() => Number(Symbol())); fails(() => Math.abs(1n)); fails(() => new Symbol());
// == invalid lengths and ranges
fails(() => new Array(-1)); fails(() => 'x'.repeat(-1)); fails(() => (1).toFixed(101)); fails(() => (1).toString(1)); fails(() => (1).toPrecision(0)); fails(() => new Date(NaN).toISOString()); fails(() => new ArrayBuffer(-1)); fails(() => 'a'.normalize('x')); fails(() => String.fromCodePoint(1114112)); fails(() => BigInt(0.5)); fails(() => (25).toExponential(-1));
// == error objects
const e = new TypeError('msg', { cause: { code: 1 } }); print(e.name, e.message, e.cause, Object.keys(e), e instanceof Error, String(e), Object.prototype.toString.call(e), Object.getOwnPropertyDescriptor(e, 'message').enumerable, 'cause' in new Error('x'), new Error(undefined).message, new Error(5).message);
// == errors without new and all kinds of them
print([Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map((E) => [E('m').name, E.name, E.length, new E('x') instanceof Error, Object.getPrototypeOf(E) === Error || E === Error]));
// == AggregateError
const e = new AggregateError([new Error('a'), 2], 'many', { cause: 1 }); print(e.name, e.message, e.errors, e.cause, AggregateError.length); fails(() => new AggregateError(5));
// == toString of errors
print(String(new Error('')), String(new Error('m')), Error.prototype.toString.call({ name: 'N', message: 'M' }), Error.prototype.toString.call({ name: '', message: 'only' }), Error.prototype.toString.call({}), String(Object.assign(new Error('x'), { name: 'Custom' })));
// == the stack begins with the name and the message
const e = new RangeError('here'); class Mine extends Error { constructor(m) { super(m); this.name = 'Mine' } } print(e.stack.split('\n')[0], new Mine('m').stack.split('\n')[0], typeof e.stack, Object.keys(e), Object.hasOwn(e, 'stack'), e.stack.split('\n')[1].startsWith('    at '));
// == places of errors
const f = () => { throw new Error('f') }
try { f() } catch (e) { print(where(e)) }
  try { null.x } catch (e) { print(where(e)) }
try {
  undefinedName
} catch (e) { print(where(e)) }
try { JSON.parse('{') } catch (e) { print(where(e).split(':')[0]) }
// == a stack names its functions
function outer() { inner() }
const inner = () => { throw new Error('deep') }
class K { method() { outer() } static s() { new K().method() } }
try { K.s() } catch (e) { print(e.stack.split('\n').slice(1, 5).map((l) => l.trim().split(' ')[1])) }
// == captureStackTrace
const o = {}; Error.captureStackTrace(o); print(typeof o.stack, o.stack.split('\n')[0], Object.keys(o)); function Fail(m) { this.message = m; this.name = 'Fail'; Error.captureStackTrace(this, Fail) } Fail.prototype = Object.create(Error.prototype); const e = new Fail('m'); print(e instanceof Error, e.stack.split('\n')[0], String(e)); fails(() => Error.captureStackTrace(5));
// == captureStackTrace in a class
class AppError extends Error { constructor(m, code) { super(m); this.name = this.constructor.name; this.code = code; Error.captureStackTrace?.(this, this.constructor) } } class NotFound extends AppError {} const e = new NotFound('gone', 404); print(String(e), e.code, e.stack.split('\n')[0], typeof Error.stackTraceLimit);
// == throwing what is no error
for (const v of [undefined, null, 0, 'text', { a: 1 }, [1], Symbol('s')]) { try { throw v } catch (e) { print(e === v, e) } }
// == rethrowing keeps the place
const e1 = (() => { try { throw new Error('first') } catch (e) { return e } })(); try { throw e1 } catch (e) { print(e === e1, where(e) === where(e1)) }
// == nested causes
const chain = (e) => e ? [e.message, ...chain(e.cause)] : []; const wrap = (f, m) => { try { return f() } catch (cause) { throw new Error(m, { cause }) } }; try { wrap(() => wrap(() => { throw new Error('root') }, 'mid'), 'top') } catch (e) { print(chain(e)) }
// == deep recursion can be caught
const f = (n) => f(n + 1) + 1; try { f(0) } catch (e) { print(e.name, e.message) }
// == errors in getters, setters, toString and iterators
fails(() => ({ get a() { throw new Error('g') } }).a); fails(() => `${{ toString() { throw new Error('ts') } }}`); fails(() => [...{ *[Symbol.iterator]() { yield 1; throw new Error('it') } }]); fails(() => [3, 1].sort(() => { throw new Error('cmp') })); fails(() => [1].map(() => { throw new Error('cb') })); fails(() => 'x'.replace(/x/, () => { throw new Error('rep') }));
// == finally and errors
const f = () => { try { throw new Error('a') } finally { throw new Error('b') } }; fails(f); const g = () => { try { throw new Error('lost') } finally { return 'kept' } }; print(g());
// == errors of async functions
const f = async () => { await null; o.x.y }; const o = {}; await failing(f); await failing(async () => { throw new TypeError('direct') }); await f().catch((e) => print('caught', e.message)); await Promise.allSettled([f()]).then(([r]) => print(r.reason.message));
// == messages in then, catch and finally handlers
const n = null; await Promise.resolve().then(() => n.x).catch((e) => print(says(e))); await Promise.resolve().then(() => n()).then(null, (e) => print(says(e))); await new Promise(() => { undefined.boom }).catch((e) => print(says(e))); await (async () => { const { a } = n })().catch((e) => print(says(e)));
// == an error uncaught at the top: a member of undefined
const r = {}; r.items.map((x) => x)
// == an error uncaught at the top: no function
const helper = { run: 1 }; helper.run('x')
// == an error uncaught at the top after an await
await null; undefined.title
// == reading private names and calling super
fails(() => { class A { #p = 1; static t(o) { return o.#p } } A.t({}) }); fails(() => { class A { #m() {} static t(o) { o.#m() } } A.t({}) });
// == proxies that are revoked
const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); fails(() => proxy.x); fails(() => Object.keys(proxy)); fails(() => { proxy.y = 1 }); print(typeof proxy);
// == reflect and invariant errors
fails(() => new Proxy(Object.freeze({ a: 1 }), { get: () => 2 }).a); fails(() => Reflect.construct(1)); fails(() => Reflect.apply(1)); fails(() => Reflect.ownKeys(1)); fails(() => new Proxy(1, {}));
// == receivers of the wrong kind
fails(() => Map.prototype.get.call({}, 1)); fails(() => Set.prototype.add.call([], 1)); fails(() => Date.prototype.getTime.call({})); fails(() => Symbol.prototype.toString.call('x')); fails(() => Number.prototype.toFixed.call('x')); fails(() => Promise.prototype.then.call(1)); fails(() => String.prototype.trim.call(undefined)); fails(() => Array.prototype.map.call(null));
// == calls with optional chaining on the way
const o = { a: { f: 1 } }; fails(() => o?.a.f()); fails(() => o.a?.g()); fails(() => o.x?.y.z() ?? o.y.z); fails(() => o.a.f?.());
// == the message names super, this and new
class A { t() { return this.x.y } u() { this.nope() } v() { super.nope() } } const a = new A(); fails(() => a.t()); fails(() => a.u()); fails(() => a.v());
// == arguments inside of calls do not change the message
const o = {}; fails(() => o.f(1, 'a', [2], () => 3)); fails(() => o.f(o.g)); fails(() => o.f(...[1])); fails(() => parseInt.foo(parseInt('5'))); fails(() => JSON.strngify({})); fails(() => Math.foo());
// == a callee that is undefined is found after its arguments
const order = []; const o = {}; fails(() => o.nope(order.push('argument'))); print(order); fails(() => undeclared(order.push('second'))); print(order);
// == wrong results of toPrimitive and iterators
fails(() => `${{ [Symbol.toPrimitive]: () => ({}) }}`); fails(() => +{ [Symbol.toPrimitive]: 5 }); fails(() => { for (const x of { [Symbol.iterator]() { return 5 } }) ; });
// == classes: super twice, extends and calls
fails(() => { class A { constructor() {} } class B extends A { constructor() { super(); super() } } new B() }); fails(() => { class A {} A() }); fails(() => { class A extends undefined {} }); fails(() => { class A { static #x = 1; f() { return A.#x } } return new A().f() });
