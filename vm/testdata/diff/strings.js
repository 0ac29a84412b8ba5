// == slices and negative positions
const s = 'workflow'; print(s.slice(-4), s.slice(2, -2), s.substring(5, 2), s.substr(-3, 2), s.at(-1), s.charAt(99), s[99], s.charCodeAt(0), s.codePointAt(1));
// == searches
const s = 'abcabc'; print(s.indexOf('c', 3), s.lastIndexOf('a'), s.includes('ca'), s.startsWith('bc', 1), s.endsWith('ab', 5), s.indexOf(''), s.search(/c/), s.lastIndexOf('z')); fails(() => s.includes(/x/)); fails(() => s.startsWith(/x/));
// == padding, repeating and trimming
print('5'.padStart(3, '0'), 'ab'.padEnd(7, 'xy'), 'abc'.padStart(2), 'na'.repeat(3), '\t \u00a0\ufeffx\n '.trim() + '|', ' x '.trimStart() + '|', ' x '.trimEnd() + '|', 'x'.padEnd(4, '')); fails(() => 'x'.repeat(-1)); fails(() => 'x'.repeat(Infinity));
// == splitting
print('a,b,,c'.split(','), 'abc'.split(''), 'a1b2c'.split(/\d/), 'a1b2'.split(/(\d)/), 'a,b,c'.split(',', 2), ''.split(','), ''.split(''), 'x'.split(), 'a  b'.split(/\s+/), 'line1\r\nline2\n'.split(/\r?\n/));
// == replacing with patterns
print('aXbX'.replace('X', '[$&]'), 'aXbX'.replaceAll('X', '$$'), 'john smith'.replace(/(\w+) (\w+)/, '$2, $1'), 'abc'.replace('b', "$`|$'"), 'x'.replace('x', '$1$0'), 'aaa'.replaceAll('a', (m, i) => i), 'a.b.c'.replaceAll('.', '-')); fails(() => 'x'.replaceAll(/x/, 'y'));
// == replacing with functions and named groups
print('2026-11-30'.replace(/(?<y>\d+)-(?<m>\d+)-(?<d>\d+)/, '$<d>.$<m>.$<y>'), 'k=v'.replace(/(?<k>\w)=(?<v>\w)/, (...a) => JSON.stringify(a)), 'price: 5'.replace(/\d+/, (n) => n * 2));
// == case
print('ÀÉß'.toLowerCase(), 'straße'.toUpperCase(), 'İ'.toLowerCase().length, 'ΑΣ'.toLowerCase(), 'ﬁ'.toUpperCase(), 'I'.toLocaleLowerCase('en-US'));
// == code points and surrogates
const s = 'a😀b'; print(s.length, [...s].length, s.codePointAt(1), s.charCodeAt(1), s.at(1) === '\ud83d', String.fromCodePoint(128512, 97), s.split(''), [...s].reverse().join(''), s.slice(0, 2).length); fails(() => String.fromCodePoint(-1)); fails(() => String.fromCodePoint(1.5));
// == well-formed strings
print('ok'.isWellFormed(), 'a\ud800'.isWellFormed(), 'a\ud800b'.toWellFormed() === 'a\ufffdb', '😀'.toWellFormed(), '\udc00\ud800'.toWellFormed(), String.prototype.isWellFormed.length, String.prototype.toWellFormed.name);
// == normal forms
print('é'.normalize('NFD').length, 'e\u0301'.normalize().length, 'ﬁ'.normalize('NFKC'), 'Å' === 'Å'.normalize('NFC')); fails(() => 'x'.normalize('bad'));
// == raw strings and tags
print(String.raw`a\n${1}\u0041`, String.raw({ raw: ['x', 'y', 'z'] }, 1, 2, 3), ((s, ...v) => s.raw.join('|') + v.join())`a\t${1}b${2}`);
// == template objects are frozen and kept for each place
const tag = (s) => s; const f = () => tag`x${0}y`; print(f() === f(), tag`x` === tag`x`, Object.isFrozen(f()), f().raw, Array.isArray(f()), tag`\unicode bad`[0]);
// == invalid escapes in templates do not parse
return `\u{zz}`
// == conversion
print(String(null), String([1, [2]]), String(Symbol('d')), `${[1, 2]}`, '' + {}, String(-0), (123.456).toString(), String(1e21), '5' * '2', '3' + 4 + 5, 3 + 4 + '5'); fails(() => `${Symbol('x')}`); fails(() => '' + Object.create(null));
// == comparing
print('a' < 'b', 'Z' < 'a', '10' < '9', 'a'.localeCompare('b'), ['é', 'z', 'e', 'a'].sort(), ['é', 'z', 'e', 'a'].sort((x, y) => x.localeCompare(y)));
// == concat and index access
const s = 'abc'; s[0] = 'X'; print(s, 'a'.concat(1, null, [2]), Object.keys(s), s.length, 'length' in Object(s)); fails(() => { 'use strict'; s[0] = 'X' });
// == old methods of strings
print('a'.anchor('x"y'), 'b'.bold(), 'l'.link('u'), 'abc'.substr(1), 'f'.fontcolor('red'), 's'.sub(), escape('ä b+'), unescape('%E4%20'));
// == encoding of URIs
print(encodeURIComponent('a b&c=d/é😀'), encodeURI('http://x.y/a b?q=é#h'), decodeURIComponent('%F0%9F%98%80'), decodeURI('%41%2F')); fails(() => decodeURIComponent('%')); fails(() => encodeURIComponent('\ud800'));
// == iteration by code points
const out = []; for (const c of 'x😀\ud800') out.push(c.length); print(out, Array.from('😀').length);
// == matching
print('a1b22'.match(/\d+/g), 'a1'.match(/(\d)/).index, 'x'.match(/y/), [...'a1b2'.matchAll(/[a-z](\d)/g)].map((m) => [m[0], m[1], m.index]), 'abc'.match(/(?:)/g), 'abc'.match('b').index); fails(() => 'x'.matchAll(/x/));
// == slugs, titles and camels
const slug = (s) => s.toLowerCase().trim().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, ''); print(slug('  Hello, World! (2026) '), 'snake_case_name'.replace(/_(\w)/g, (_, c) => c.toUpperCase()), 'camelCaseName'.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase()), 'the quick fox'.replace(/\b\w/g, (c) => c.toUpperCase()));
// == word wrap and indentation
const wrap = (s, n) => s.split(' ').reduce((l, w) => (l.at(-1) + ' ' + w).length <= n ? [...l.slice(0, -1), l.at(-1) + ' ' + w] : [...l, w], ['']).map((x) => x.trim()); print(wrap('the quick brown fox jumps', 10), 'a\nb'.replace(/^/gm, '  '));
// == a hash by Math.imul
const hash = (s) => { let h = 2166136261; for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 16777619); return (h >>> 0).toString(16) }; print(hash(''), hash('workflow'), hash('é😀'));
// == number formatting in text
print((5).toString().padStart(2, '0'), (0.5).toFixed(2), (1234.5678).toFixed(1), `${0.1 * 3}`, (25).toString(36), (255).toString(2).padStart(10, '0'));
// == quoting and escaping HTML
const esc = (s) => s.replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c]); print(esc(`<a href="x">T&C's</a>`));
// == levenshtein distance
const lev = (a, b) => { const d = Array.from({ length: a.length + 1 }, (_, i) => [i]); for (let j = 1; j <= b.length; j++) d[0][j] = j; for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)); return d[a.length][b.length] }; print(lev('kitten', 'sitting'));
// == truncation that keeps characters whole
const cut = (s, n) => [...s].length > n ? [...s].slice(0, n - 1).join('') + '…' : s; print(cut('abcdef', 4), cut('😀😀😀', 2), cut('ab', 5));
// == names and lengths of string methods
print(['at', 'concat', 'padEnd', 'replaceAll', 'matchAll', 'localeCompare', 'normalize', 'codePointAt', 'split', 'substr'].map((n) => n + String.prototype[n].length), String.raw.length, String.fromCodePoint.length);
// == methods on null and undefined
fails(() => String.prototype.trim.call(null)); fails(() => String.prototype.at.call(undefined, 0)); fails(() => String.prototype.padStart.call(null, 1)); fails(() => String.prototype.repeat.call(undefined, 2));
