// == fields, methods and accessors
class P { x = 1; 'quoted' = 2; [`c${1}`] = 3; #h = 4; get h() { return this.#h } set h(v) { this.#h = v * 2 } static s = 'st'; static m() { return this.s } }
const p = new P(); p.h = 5; print(p, p.h, P.m(), Object.keys(p));
// == private methods and brand checks
class A { #m() { return 'private' } static #s = 1; static bump() { return ++A.#s } call() { return this.#m() } static is(o) { return #m in o } }
print(new A().call(), A.bump(), A.bump(), A.is(new A()), A.is({}));
// == private names of another class are refused
class A { #x = 1; static read(o) { return o.#x } }
print(A.read(new A())); try { A.read({}) } catch (e) { print(e.name) }
// == an undeclared private name does not parse
class A { f() { return this.#nope } }
// == inheritance and super
class A { constructor(n) { this.n = n } hi() { return 'A' + this.n } static make(n) { return new this(n) } }
class B extends A { constructor(n) { super(n * 2); this.own = true } hi() { return 'B>' + super.hi() } }
const b = B.make(2); print(b.hi(), b instanceof A, b, Object.getPrototypeOf(B) === A, B.name);
// == this before super
class A {} class B extends A { constructor() { this.x = 1; super() } }
fails(() => new B());
// == no super at all
class A {} class B extends A { constructor() {} }
fails(() => new B());
// == classes need new
class A {}
fails(() => A());
// == static blocks run in order
const order = [];
class A { static a = order.push('a'); static { order.push('block'); this.b = A.a + 10 } static c = order.push('c') }
print(order, A.b);
// == field initialisers see this and run before the rest of the constructor
class A { a = 1; b = this.a + 1; c = () => this.b; constructor() { this.d = this.c() } }
class B extends A { a = 10 }
print(new A().d, new B(), new B().c());
// == accessors are inherited and overridden
class A { get v() { return 'a' } set v(x) { this.set = x } } class B extends A { get v() { return super.v + 'b' } set v(x) { super.v = x + '!' } }
const b = new B(); b.v = 'q'; print(b.v, b.set);
// == computed and symbol methods
const k = Symbol('k'); class A { [k]() { return 1 } ['a' + 'b']() { return 2 } static [Symbol.hasInstance](x) { return x === 7 } get [Symbol.toStringTag]() { return 'Tag' } }
print(new A()[k](), new A().ab(), 7 instanceof A, String(new A()), A.prototype[k].name);
// == extending Error
class MyError extends Error { constructor(m, extra) { super(m, { cause: 'why' }); this.name = 'MyError'; this.extra = extra } }
const e = new MyError('bad', 7); print(e, String(e), e.extra, e.cause, e instanceof MyError, e instanceof Error, e.stack.split('\n')[0]);
// == extending Array
class Stack extends Array { top() { return this[this.length - 1] } static get [Symbol.species]() { return Array } }
const s = Stack.from([1, 2, 3]); s.push(4); print(s.top(), s.length, s.map((x) => x) instanceof Stack, s instanceof Array, s.constructor.name);
// == species keeps the subclass
class L extends Array {} const l = L.of(3, 1, 2); print(l.filter((x) => x > 1) instanceof L, l.slice(1) instanceof L, l.concat([9]) instanceof L, l.toSorted() instanceof L);
// == extending Map and Set
class Counter extends Map { add(k) { return this.set(k, (this.get(k) ?? 0) + 1) } } class Loud extends Set { add(v) { return super.add(String(v).toUpperCase()) } }
print(new Counter().add('a').add('b').add('a'), new Loud(['x', 'y']));
// == extending Promise
class Mine extends Promise { static get [Symbol.species]() { return Promise } extra() { return 'x' } }
const m = Mine.resolve(1); print(m instanceof Mine, m.extra(), m.then(() => 1) instanceof Mine, await m);
// == class expressions and their names
const A = class Inner { static n() { return Inner.name } }; const B = class {}; print(A.n(), A.name, B.name, typeof Inner, new (class { static x = 1 })().constructor.x);
// == classes are not hoisted
fails(() => new Late()); class Late {}
// == methods are not enumerable and not constructors
class A { m() {} } print(Object.keys(A.prototype), Object.getOwnPropertyNames(A.prototype)); fails(() => new (new A().m)());
// == generators and async in classes
class A { *g() { yield 1; yield 2 } async a() { return 'async' } static *[Symbol.iterator]() { yield 's' } }
print([...new A().g()], await new A().a(), [...A]);
// == getters on the prototype and own data
class A { get x() { return 1 } } const a = new A(); fails(() => { 'use strict'; a.x = 2 }); Object.defineProperty(a, 'x', { value: 3 }); print(a.x);
// == super in object literals
const base = { hi() { return 'base ' + this.n } }, o = { __proto__: base, n: 7, hi() { return 'o>' + super.hi() } }; print(o.hi());
// == static inheritance
class A { static count = 0; static inc() { return ++this.count } } class B extends A {} print(B.inc(), B.inc(), A.count, B.count, Object.hasOwn(B, 'count'));
// == returning an object from a constructor
class A { constructor(o) { return o } } class B extends A { tag = 1 } const o = {}; print(new B(o) === o, o, new A(5) instanceof A);
// == private accessors and static private methods
class T { static #k(x) { return x * 3 } get #v() { return this.raw + 1 } set #v(x) { this.raw = x } run(x) { this.#v = x; return T.#k(this.#v) } } print(new T().run(4));
// == mixins
const Named = (B) => class extends B { name() { return 'named ' + super.name() } }; class Base { name() { return 'base' } } print(new (Named(Named(Base)))().name());
// == instanceof with a bound class
class A {} const B = A.bind(null); print(new B() instanceof A, new A() instanceof B, B.name);
// == class with a null prototype
class N extends null { static s() { return 1 } } print(N.s(), Object.getPrototypeOf(N.prototype)); fails(() => new N());
// == extending what is no constructor
fails(() => class extends 5 {}); fails(() => class extends (() => {}) {});
// == toString, valueOf and toJSON of instances
class M { constructor(c) { this.c = c } toString() { return '$' + this.c } valueOf() { return this.c } toJSON() { return { money: this.c } } } const m = new M(5); print(`${m}`, m + 1, JSON.stringify({ m }), m > 4);
// == fields are defined, not assigned
class A { set x(v) { print('setter', v) } } class B extends A { x = 1 } const b = new B(); print(Object.hasOwn(b, 'x'), b.x);
// == accessor keyword names
class A { get() { return 'g' } set() { return 's' } static() { return 'st' } async() { return 'as' } static static() { return 'ss' } } const a = new A(); print(a.get(), a.set(), a.static(), a.async(), A.static());
// == arrow functions keep this of the instance
class T { n = 1; later = () => this.n; both() { return [1].map(() => this.n) } } const { later, both } = new T(); print(later()); fails(() => both());
// == private names are checked before they are written
class A { #x = 1; static set(o) { o.#x = 2 } } try { A.set({}) } catch (e) { print(e.name) }
// == two instances do not share fields
class A { list = []; static shared = [] } const a = new A(), b = new A(); a.list.push(1); A.shared.push(2); print(a.list, b.list, A.shared);
// == a symbol iterator on a class
class Range { constructor(a, b) { Object.assign(this, { a, b }) } *[Symbol.iterator]() { for (let i = this.a; i < this.b; i++) yield i } } print([...new Range(1, 4)], Math.max(...new Range(0, 9)));
