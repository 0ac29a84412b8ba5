// == holes are kept, skipped or read
const a = [1, , 3]; print(a, a.map((x) => x * 2), a.filter(() => true), Object.keys(a), 1 in a, a.forEach((x) => x), [...a], a.indexOf(undefined), a.includes(undefined), a.join('-'));
// == length truncates and grows
const a = [1, 2, 3]; a.length = 1; a[3] = 4; print(a, a.length); fails(() => { a.length = -1 }); fails(() => new Array(-1)); fails(() => new Array(1.5)); print(new Array(3).length, new Array('3'), Array(2, 3));
// == sort is stable and takes undefined last
const a = [{ k: 1, n: 'a' }, { k: 0, n: 'b' }, { k: 1, n: 'c' }, { k: 0, n: 'd' }]; print(a.sort((x, y) => x.k - y.k).map((x) => x.n), [3, undefined, 1, , 2].sort(), [10, 9, 1, 100].sort(), ['b', 'A', 'a', 'B'].sort(), [true, false, null].sort());
fails(() => [1, 2].sort('x')); fails(() => [1, 2].sort(null));
// == copies by toSorted, toReversed, toSpliced and with
const a = [3, 1, 2]; print(a.toSorted(), a.toReversed(), a.toSpliced(1, 1, 'x', 'y'), a.with(-1, 9), a, [1, , 2].toSorted(), [, 1].with(1, 2)); fails(() => a.with(5, 1)); fails(() => a.toSorted('no'));
// == at, findLast and findLastIndex
const a = [5, 12, 8, 130, 44]; print(a.at(-1), a.at(9), a.findLast((x) => x < 50), a.findLastIndex((x) => x > 100), a.find((x) => x > 200), a.findIndex((x) => x > 200));
// == flat and flatMap
print([1, [2, [3, [4]]]].flat(), [1, [2, [3, [4]]]].flat(Infinity), [[1], [], [, 2]].flat(), [1, 2].flatMap((x) => [x, [x]]), ['a b', 'c'].flatMap((s) => s.split(' ')));
// == splice in all its forms
const a = [1, 2, 3, 4, 5]; print(a.splice(1, 2), a, a.splice(-1), a, a.splice(1, 0, 'x', 'y'), a, a.splice(), a.splice(0), a);
// == slice, concat and copyWithin
const a = [1, 2, 3, 4, 5]; print(a.slice(-2), a.slice(1, -1), a.concat(6, [7, [8]]), [1, 2, 3, 4, 5].copyWithin(0, 3), [1, 2, 3].concat({ length: 1, 0: 'x', [Symbol.isConcatSpreadable]: true }));
// == fill and from
print(new Array(3).fill(0), [1, 2, 3, 4].fill('x', 1, -1), Array.from({ length: 3 }, (_, i) => i * i), Array.from('añ😀'), Array.from(new Map([[1, 2]])));
// == Array.of and isArray
print(Array.of(7), Array.of(1, 2), Array.isArray([]), Array.isArray({ length: 0 }), Array.isArray(new Proxy([], {})), Array.isArray(Array.prototype));
// == reduce and reduceRight
print([1, 2, 3].reduce((a, x) => a + x), [1, 2, 3].reduceRight((a, x) => a + '-' + x), [].reduce((a) => a, 'init'), [[1, 2], [3]].reduce((a, x) => [...a, ...x], [])); fails(() => [].reduce((a) => a)); fails(() => [].reduceRight((a) => a));
// == callbacks get element, index and array, and this
const seen = []; ['a'].map(function (x, i, arr) { seen.push(x, i, arr.length, this.t) }, { t: 'T' }); print(seen, ['1', '2', '3'].map(parseInt), ['1', '2'].map(Number));
// == callbacks must be functions
fails(() => [1].map(5)); fails(() => [1].forEach()); fails(() => [1].filter('x')); fails(() => [1].reduce(null)); fails(() => [1].find({})); fails(() => [1].flatMap()); fails(() => [1].some(undefined)); fails(() => Array.from([1], 5));
// == search methods
const a = [1, 2, NaN, 2]; print(a.indexOf(2, 2), a.lastIndexOf(2), a.indexOf(NaN), a.includes(NaN), a.includes(2, -1), [].every((x) => x), [].some((x) => x), a.lastIndexOf(2, -2));
// == join and toString of odd values
print([null, undefined, [1, [2]], {}].join(), [1, 2].join(''), [].join(), String([1, [2, 3]]), [[], [[]]] + '', [Symbol.iterator].length, ['a'].join(undefined));
// == cycles in join
const a = [1]; a.push(a, 2); print(a.join(), String(a));
// == push, pop, shift, unshift and reverse give the right things
const a = [2]; print(a.push(3, 4), a.unshift(0, 1), a, a.pop(), a.shift(), a, a.reverse(), [].pop(), [].shift());
// == generic methods work on array-likes
const o = { length: 2, 0: 'a', 1: 'b' }; print(Array.prototype.map.call(o, (x) => x + x), Array.prototype.join.call('abc', '-'), Array.prototype.push.call(o, 'c'), o, Array.prototype.slice.call({ length: 1, 0: 'z' }));
// == keys of arrays
const a = ['x']; a.name = 'n'; a[-1] = 'neg'; a['02'] = 'two'; print(Object.keys(a), a.length, a['0'], JSON.stringify(a)); for (const k in a) print(k);
// == arrays as stacks, queues and matrices
const m = Array.from({ length: 2 }, () => Array(2).fill(0)); m[0][1] = 5; const t = m[0].map((_, c) => m.map((r) => r[c])); print(m, t);
// == sorting by several keys
const xs = [{ n: 'b', s: 2 }, { n: 'a', s: 2 }, { n: 'c', s: 3 }]; print(xs.toSorted((p, q) => q.s - p.s || p.n.localeCompare(q.n)).map((x) => x.n));
// == unique values, intersections and partitions
const a = [3, 1, 3, 2, 1], b = [2, 3]; print([...new Set(a)], a.filter((x) => b.includes(x)), a.reduce(([p, q], x) => x > 1 ? [[...p, x], q] : [p, [...q, x]], [[], []]), a.filter((x, i) => a.indexOf(x) === i));
// == chunking and ranges
const chunk = (a, n) => Array.from({ length: Math.ceil(a.length / n) }, (_, i) => a.slice(i * n, i * n + n)); print(chunk([1, 2, 3, 4, 5], 2), [...Array(4).keys()], Array.from(Array(3), (_, i) => 'item' + i));
// == changes during a walk
const a = [1, 2, 3]; const seen = []; a.forEach((x, i) => { seen.push(x); if (i === 0) a.push(4); if (i === 1) a.splice(0, 1) }); print(seen, a);
// == symbols of arrays
print(Array.prototype[Symbol.iterator] === Array.prototype.values, Object.keys(Array.prototype[Symbol.unscopables]).includes('flat'), Array[Symbol.species] === Array);
// == names and lengths of methods
print(['map', 'reduce', 'splice', 'with', 'toSpliced', 'at', 'flat', 'fill', 'concat', 'join', 'sort', 'includes'].map((n) => n + Array.prototype[n].length), Array.from.length, Array.fromAsync.length, Array.of.length, Array.length, Object.keys(Array));
// == native text of methods
print(String(Array.prototype.map), String(Object.groupBy), String(Array.fromAsync), String(Math.max), String(Symbol.prototype.valueOf));
// == deep equality by JSON and by walking
const eq = (a, b) => a === b || typeof a === 'object' && a && b && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((k) => eq(a[k], b[k])); print(eq({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), eq([1], [2]), eq([1, , 3], [1, undefined, 3]));
// == comparators that are not consistent or give odd values
print([3, 1, 2].sort((a, b) => a > b), [1, 2, 3].sort(() => 0), [2, 1].sort((a, b) => '1'), [5, 1, 4].sort((a, b) => NaN), [1, 2, 3].sort((a, b) => b - a).join());
// == spread into Math and String functions
const big = Array.from({ length: 5000 }, (_, i) => i); print(Math.max(...big), String.fromCharCode(...[72, 105]), Math.min());
// == toLocaleString of arrays
print([1234.5, new Date(0), 'x', null, undefined].toLocaleString(), [[1000]].toLocaleString());
// == delete leaves a hole
const a = [1, 2, 3]; delete a[1]; print(a, a.length, 1 in a, a.findIndex((x) => x === undefined), a.flat());
// == frozen arrays
const a = Object.freeze([1]); fails(() => a.push(2)); fails(() => { 'use strict'; a[0] = 2 }); fails(() => a.sort()); fails(() => a.pop()); print(a.concat(2), a.length); fails(() => { 'use strict'; a.length = 0 });
// == binary search and insertion
const lower = (a, x) => { let lo = 0, hi = a.length; while (lo < hi) { const mid = (lo + hi) >>> 1; a[mid] < x ? lo = mid + 1 : hi = mid } return lo }; const a = [1, 3, 5, 7]; for (const x of [4, 0, 9]) a.splice(lower(a, x), 0, x); print(a);
// == shuffle by a seeded generator
let seed = 42; const rnd = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32; const a = [1, 2, 3, 4, 5, 6]; for (let i = a.length - 1; i > 0; i--) { const j = Math.floor(rnd() * (i + 1)); [a[i], a[j]] = [a[j], a[i]] } print(a);
// == lastIndexOf, includes and from with negative starts
print([1, 2, 3].includes(1, -3), [1, 2, 3].indexOf(3, -1), [1, 2, 3].lastIndexOf(1, -3), [1, 2, 3].fill(0, -2), [1, 2, 3].at(-0));
