// == flags and the source
const r = /a\/b[/]/gimsuy; print(r.flags, r.source, String(r), r.global, r.sticky, r.hasIndices, r.unicodeSets, String(new RegExp('/')), String(new RegExp('')), String(RegExp('\n')), /x/dgimsuy.flags, RegExp.prototype.flags);
// == letters of any script
print('Straße Ωmega 東京 abc'.match(/\p{L}+/gu), /^\p{Lu}/u.test('Éa'), /\p{Ll}/u.test('É'), 'a1_'.replace(/\P{L}/gu, '-'));
// == scripts
print('abc Привет 日本 ひら'.match(/\p{Script=Cyrillic}+/gu), 'x日ひカ'.match(/[\p{sc=Han}\p{Script=Hiragana}]+/gu), /\p{Script_Extensions=Greek}/u.test('\u0342'), /\p{scx=Deva}/u.test('\u0964'), /\p{sc=Latin}/u.test('é'));
// == general categories by all their names
print('1²Ⅷ½'.match(/\p{Nd}|\p{No}|\p{Nl}/gu), /\p{General_Category=Uppercase_Letter}/u.test('A'), /\p{gc=Sc}/u.test('€'), 'a-b—c_d'.replace(/\p{Pd}/gu, '.'), /\p{Punctuation}/u.test('!'), /\p{Currency_Symbol}/u.test('$'), /\p{Zs}/u.test('\u00a0'), /\p{Cn}/u.test('\u0378'), /\p{Other}/u.test('\u0000'));
// == binary properties
print(/^\p{Alphabetic}+$/u.test('añ'), /\p{White_Space}/u.test('\u2003'), /\p{Uppercase}/u.test('Ⓐ'), /^\p{ID_Start}\p{ID_Continue}*$/u.test('näme1'), /\p{ASCII}/u.test('é'), /\p{Any}/u.test('\u{10ffff}'), /\p{Assigned}/u.test('\u0378'), /\p{Hex_Digit}+/u.exec('xAFz')[0], /\p{Ideographic}/u.test('字'), /\p{Math}/u.test('∑'));
// == emoji
print('a😀b👍c1'.match(/\p{Emoji_Presentation}/gu), /\p{Emoji}/u.test('1'), 'hi 👋🏽!'.replace(/\p{Extended_Pictographic}\p{Emoji_Modifier}?/gu, '*'), /\p{Emoji_Modifier_Base}/u.test('👋'), /\p{Regional_Indicator}{2}/u.test('🇩🇪'), /\p{Emoji_Component}/u.test('#'));
// == unknown properties do not parse
return /\p{Foo}/u
// == unknown properties at run time
fails(() => new RegExp('\\p{Foo}', 'u')); fails(() => new RegExp('\\p{Script=Nope}', 'u')); fails(() => new RegExp('\\p{lu}', 'u')); fails(() => new RegExp('\\p', 'u')); print(new RegExp('\\p{Foo}').test('p{Foo}'), /\p{L}/.test('x'), /\pL/.test('pL'));
// == set operations of the v flag
print('aeiou xyz'.match(/[[a-z]--[aeiou]]+/v), 'αβγ abc'.match(/[\p{sc=Greek}&&\p{L}]+/v));
// == Script names without a key are no properties
return /\p{Greek}/u
// == subtraction, intersection and nesting with v
print('0123456789'.match(/[\d--[5-7]]+/gv), 'aBcD'.match(/[\p{L}&&[A-Z]]/gv), 'a-b_c'.match(/[[a-z][_]]/gv), '٣4'.match(/[\p{Nd}--[0-9]]/gv), /[^\d--[0-4]]/v.test('7'), /[^\d--[0-4]]/v.test('2'));
// == strings in classes with v
print('ab cd c'.match(/[\q{ab|cd|c}]/gv), 'x👨‍👩‍👧y'.match(/^x[\q{👨‍👩‍👧}a-c]y$/v)?.length, 'abc'.match(/[\q{abc|a}b]/v)[0]);
// == properties of strings with v
print(/^\p{RGI_Emoji}$/v.test('👨‍👩‍👧‍👦'), /^\p{Emoji_Keycap_Sequence}$/v.test('1️⃣'), /^\p{RGI_Emoji_Flag_Sequence}$/v.test('🇫🇷'), '👍🏽👍'.match(/\p{RGI_Emoji}/gv));
// == what v refuses
fails(() => new RegExp('[(]', 'v')); fails(() => new RegExp('[a--b&&c]', 'v')); fails(() => new RegExp('a', 'uv')); fails(() => new RegExp('[a&&&b]', 'v')); fails(() => new RegExp('[^\\p{RGI_Emoji}]', 'v'));
// == flag v in a literal together with i
print(/[\p{Lu}--[A-C]]/iv.test('d'), /^[^x]$/iv.test('X'), /\P{Lu}/iv.test('A'), /[^\P{Ll}]/iu.test('A'), /\p{Lu}/iu.test('a'));
// == indices of the d flag
const m = /(?<year>\d{4})-(?<month>\d\d)?(x)?/d.exec('on 2026-11'); print(m.indices, m.indices.groups, m.index, m.groups, Array.isArray(m.indices)); print(/a/.exec('a').indices, /a/d.hasIndices);
// == indices with astral characters
print(/(.)b/du.exec('x😀b').indices, /(.)b/d.exec('x😀b').indices, [...'a1b2'.matchAll(/\d/dg)].map((m) => m.indices[0]), 'a1'.match(/\d/d).indices[0]);
// == named groups
const m = /(?<key>\w+)=(?<value>\w*)/.exec('a=b'); print(m.groups.key, { ...m.groups }, Object.getPrototypeOf(m.groups), 'key' in m, /(?<a>.)(?<b>.)?/.exec('x').groups.b); fails(() => new RegExp('(?<a>x)(?<a>y)')); fails(() => new RegExp('(?<1>x)')); fails(() => new RegExp('\\k<a>', 'u'));
// == back references by name and number
print(/(?<q>['"]).*?\k<q>/.exec(`say "it's" now`)[0], /(\w)\1/.exec('hello')[0], /\1(a)/.exec('aa')[0], /(a)?\1b/.exec('b')[0], /\k<x>/.test('k<x>'), /(?<n>a)\k<n>/u.test('aa'));
// == look-ahead
print('price100 cost200'.match(/\w+?(?=100)/g), 'foobar foobaz'.match(/foo(?!bar)\w+/)[0], '1234567'.replace(/\B(?=(\d{3})+(?!\d))/g, ','), /(?=(a+))a*b\1/.exec('baaabac').slice());
// == look-behind
print('$42 €7'.match(/(?<=\$)\d+/g), 'a1b2'.match(/(?<![a])\d/g), /(?<=(\d+)(\d+))$/.exec('1053').slice(), /(?<=\1(\w))d/.exec('ccd')?.[1], 'abcdef'.replace(/(?<=^(?:..)*)./g, (c) => c.toUpperCase()), /(?<=a.c)d/.test('abcd'));
// == sticky
const r = /foo/y; r.lastIndex = 3; print(r.test('barfoo'), r.lastIndex, r.test('barfoo'), r.lastIndex, 'foofoobar'.replace(/foo/gy, 'x'), 'aab'.match(/a/gy), /^b/ym.test('a\nb'), 'a-b-c'.split(/-/y));
// == lastIndex of global patterns
const r = /a/g; const out = []; let m; while ((m = r.exec('banana'))) out.push(m.index, r.lastIndex); print(out, r.lastIndex, r.test('a'), r.test('a'), r.lastIndex); r.lastIndex = 99; print(r.exec('aaa'), r.lastIndex);
// == dotAll, multiline and anchors
print(/a.b/.test('a\nb'), /a.b/s.test('a\nb'), 'a\nb\r\nc'.match(/^./gm), 'a\nb'.match(/.$/gm), /^b/.test('a\nb'), /a$/.test('a\n'), /[^]/.test('\n'), /./.test('\u2028'));
// == case without unicode and with it
print(/ſ/i.test('s'), /ſ/iu.test('s'), /\u212a/i.test('k'), /\u212a/iu.test('k'), /[a-z]+/i.exec('ABC')[0], /É/i.test('é'), /\w/iu.test('ſ'), /[^x]/iu.test('X'), /ß/i.test('ẞ'), /ß/iu.test('ẞ'), /Σ/i.test('ς'));
// == astral characters with u and without
print(/^.$/.test('😀'), /^.$/u.test('😀'), '😀'.match(/./g).length, '😀'.match(/./gu).length, /\u{1F600}/u.test('😀'), /\u{2}/.test('uu'), /[😀]/u.test('😀'), /^[^a]$/u.test('😀'), /\ud83d/.test('😀'), /\ud83d/u.test('😀'), /😀{2}/u.test('😀😀'));
// == captures inside of repeats are reset
print(/(?:(a)|b)*/.exec('ab').slice(), /(z)((a+)?(b+)?(c))*/.exec('zaacbbbcac').slice(), /(a*)*/.exec('b').slice(), /(?:a*?)*?b/.exec('aab')[0], /(\2a)(\1)/.exec('aaa')?.slice());
// == empty matches advance
print('abc'.replace(/x*/g, '-'), 'aab'.match(/a*?/g), 'abc'.split(/(?:)/u), '😀a'.replace(/(?:)/gu, '|'), [...'ab'.matchAll(/(?:)/g)].map((m) => m.index));
// == quantifiers
print('aaaa'.match(/a{2}/g), 'aaaa'.match(/a{2,3}?/)[0], /a{,2}/.test('a{,2}'));
// == quantifiers out of order do not parse
return /x{2,1}/
// == lazy and greedy
print('<a><b>'.match(/<.+>/)[0], '<a><b>'.match(/<.+?>/)[0], /a??b/.exec('ab')[0], /(a|ab)(c|bcd)(d*)/.exec('abcd').slice(), 'xxyx'.match(/x+?y/)[0]);
// == classes
print('a-z]^\\'.match(/[\]\-\\^]/g), /[\b]/.test('\b'), 'a.b'.match(/[.]/)[0], /[]/.test('x'), '\x41\u0042\cJ'.length, /[\d-x]/.test('-'), 'tab\tnl\n'.match(/[\t\n]/g), /\cJ/.test('\n'), /[\w-]+/.exec('foo-bar baz')[0], /\0/.test('\0'));
// == white space and digits
print('\u00a0\ufeff\u2003\u180e\n'.match(/\s/g).length, /\d/.test('٣'), /\d/u.test('٣'), /\w/.test('é'), /\bé/.test('é'), '\u200b'.match(/\s/), /\S+/.exec(' ab c')[0]);
// == patterns that do not parse
for (const p of ['(', ')', '[', '*', 'a**', '(?', '(?<n', '(?<=a)*', 'a{2}{3}', '\\', '[b-a]', '(?a)', '(?<a>x)(?<a>y)', '+', '?']) fails(() => new RegExp(p));
// == patterns that only u refuses
for (const p of ['\\-', 'a{1', ']', '}', '\\u{110000}', '\\1', '(?=a)*', '[\\d-x]', '\\c', '\\xg', '{']) { fails(() => new RegExp(p, 'u').source); fails(() => new RegExp(p).source) }
// == flags that do not parse
for (const f of ['gg', 'x', 'uv', 'G', 'gimsuyd']) fails(() => new RegExp('a', f).flags);
// == the constructor
const r = /a/g; print(RegExp(r) === r, new RegExp(r) === r, new RegExp(r, 'i').flags, new RegExp('a', undefined).flags);
// == RegExp as a function with the same pattern
const r = /a/g; print(RegExp(r) === r, new RegExp(r) === r, new RegExp(r, 'i').flags, String(new RegExp(undefined)), String(new RegExp(null)), new RegExp('a/b').source, r.constructor === RegExp, RegExp.name, RegExp.length, RegExp[Symbol.species] === RegExp);
// == objects of matches
const m = /b(c)?/.exec('abd'); print(m, m.index, m.input, m.length, Object.keys(m), m.groups);
// == subclasses and symbols
class R extends RegExp { exec(s) { const m = super.exec(s); if (m) m.extra = 'x'; return m } } const r = new R('a', 'g'); print(r.exec('a').extra, r instanceof RegExp, 'aa'.replace(r, 'b'), 'bab'.split(new R('a')), RegExp.prototype[Symbol.match].name);
// == replace callbacks with groups
print('a1b2'.replace(/(?<l>[a-z])(?<d>\d)/g, (m, l, d, off, str, groups) => `${off}${groups.d}${groups.l}`), 'x'.replace(/(y)?x/, (m, y) => typeof y), 'aa'.replace(/a/g, '$`-$\''), 'ab'.replace(/(?<x>a)/, '$<x>$<y>$1$2'));
// == split with captures and limits
print('a1b2c3'.split(/\d/), 'a1b2c3'.split(/(\d)/, 3), 'ab'.split(/(?:)/), 'test'.split(/(?=s)/), ''.split(/x/), ''.split(/(?:)/), 'A<B>b'.split(/<(\/)?([^<>]+)>/));
// == markdown links and headings
const md = '# T\n[a](u1) and [b c](u2 "t")\n## S'; print([...md.matchAll(/\[([^\]]+)\]\(([^)\s]+)[^)]*\)/g)].map(([, t, u]) => t + '>' + u), md.match(/^#+ .*$/gm));
// == a tokenizer by sticky patterns
const rules = [['num', /\d+(?:\.\d+)?/y], ['id', /[a-z_]\w*/iy], ['op', /[-+*\/()=]/y], ['ws', /\s+/y]]; const lex = (s) => { const out = []; let i = 0; next: while (i < s.length) { for (const [t, r] of rules) { r.lastIndex = i; const m = r.exec(s); if (m) { if (t !== 'ws') out.push(t + ':' + m[0]); i = r.lastIndex; continue next } } throw new SyntaxError('at ' + i) } return out }; print(lex('x1 = 3.5 * (y - 2)')); fails(() => lex('a ? b'));
// == csv by a pattern
const row = (s) => [...s.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1]?.replaceAll('""', '"') ?? m[2]); print(row('a,"b,c","d ""q""",,e'));
// == URLs, mails and versions
print('see https://a.b/c?d=1#e, mail x.y@z.org'.match(/https?:\/\/[^\s,]+/)[0], /[\w.+-]+@[\w-]+\.[\w.]+/.exec('mail x.y@z.org')[0], /^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?$/.exec('v1.22.3-rc.1').slice(1));
// == alternation order and anchors in groups
print(/^(?:a|ab)$/.exec('ab')[0], /(?:^|\s)x/.exec('a x')[0], /(foo|foobar)(bar)?$/.exec('foobar').slice(), /a|ab|abc/.exec('abc')[0], /(?:)|x/.exec('x')[0]);
// == unicode names in groups
const m = /(?<größe>\d+)(?<名>x)/u.exec('12x'); print(m.groups.größe, m.groups.名, '12x'.replace(/(?<größe>\d+)/u, '<$<größe>>'));
// == test coerces and searches leave lastIndex
const r = /\d/g; r.lastIndex = 5; print(/null/.test(null), /undefined/.test(), 'a1'.search(r), r.lastIndex, /1/.test(1), 'a1b1'.replace(r, '#'), r.lastIndex);
// == properties in negated classes
print('abc123é!'.match(/[^\p{L}]+/gu), 'a1é'.replace(/[\P{L}]/gu, ''), /[\p{Lu}\d_]+/u.exec('abCD9_e')[0], /[^\P{Lu}]/u.test('A'));
// == words of any language
const words = (s) => s.match(/[\p{L}\p{M}\p{N}_']+/gu) ?? []; print(words("Don't naïve 東京タワー मानक 3rd ..."), words('!!!'));
// == keys of groups with d and named duplicates in branches
fails(() => new RegExp('(?<y>\\d{4})|(?<y>\\d{2})').source);
// == modifiers do not exist in Node 22
fails(() => new RegExp('(?i:a)').source);
// == exec on what is no pattern
fails(() => RegExp.prototype.exec.call({}, 'x')); fails(() => RegExp.prototype.test.call(5)); fails(() => Object.getOwnPropertyDescriptor(RegExp.prototype, 'global').get.call({}));
// == lone surrogates
print(/^[\ud800-\udbff]/.test('😀'), /^[\ud800-\udbff]/u.test('😀'), '\ud800'.match(/\p{Cs}/u)?.length, /\udf06/u.test('\ud834\udf06'), /^\S$/u.test('\ud83d'));
