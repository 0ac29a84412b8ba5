// Writes properties.bin: the characters of every Unicode property that patterns
// of the Node that runs this know, and sequences.txt, the strings of its
// properties of strings. See readTables in property.go for the form.
//
//	node_modules/node/bin/node internal/regex/tables.mjs
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';

const here = dirname(fileURLToPath(import.meta.url));
const gc = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn'.split(' ');
const scripts = `Adlm Aghb Ahom Arab Armi Armn Avst Bali Bamu Bass Batk Beng Bhks Bopo Brah Brai Bugi Buhd Cakm Cans Cari Cham Cher Chrs Copt Cpmn Cprt Cyrl Deva Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Gara Geor Glag Gong Gonm Goth Gran Grek Gujr Gukh Guru Hang Hani Hano Hatr Hebr Hira Hluw Hmng Hmnp Hung Ital Java Kali Kana Kawi Khar Khmr Khoj Kits Knda Krai Kthi Lana Laoo Latn Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi Mong Mroo Mtei Mult Mymr Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli Phlp Phnx Plrd Prti Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sind Sinh Sogd Sogo Sora Soyo Sund Sunu Sylo Syrc Tagb Takr Tale Talu Taml Tang Tavt Telu Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr Toto Tutg Ugar Vaii Vith Wara Wcho Xpeo Xsux Yezi Yiii Zanb Zinh Zyyy`.split(' ');
const binary = `Alphabetic ASCII_Hex_Digit Bidi_Control Bidi_Mirrored Case_Ignorable Cased Changes_When_Casefolded Changes_When_Casemapped Changes_When_Lowercased Changes_When_NFKC_Casefolded Changes_When_Titlecased Changes_When_Uppercased Dash Default_Ignorable_Code_Point Deprecated Diacritic Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base Emoji_Presentation Extended_Pictographic Extender Grapheme_Base Grapheme_Extend Hex_Digit ID_Continue ID_Start IDS_Binary_Operator IDS_Trinary_Operator Ideographic Join_Control Logical_Order_Exception Lowercase Math Noncharacter_Code_Point Pattern_Syntax Pattern_White_Space Quotation_Mark Radical Regional_Indicator Sentence_Terminal Soft_Dotted Terminal_Punctuation Unified_Ideograph Uppercase Variation_Selector White_Space XID_Continue XID_Start`.split(' ');

const spans = (re) => {
  const out = [];
  let from = -1;
  for (let c = 0; c <= 0x110000; c++) {
    const hit = c <= 0x10ffff && re.test(String.fromCodePoint(c));
    if (hit && from < 0) from = c;
    if (!hit && from >= 0) { out.push([from, c - 1]); from = -1 }
  }
  return out;
};
const bytes = [];
const varint = (n) => { while (n >= 128) { bytes.push(n % 128 + 128); n = Math.floor(n / 128) } bytes.push(n) };
const write = (name, source) => {
  let list;
  try { list = spans(new RegExp('^' + source + '$', 'u')) } catch { console.log('not known here: ' + name); return }
  varint(name.length);
  for (const c of name) bytes.push(c.charCodeAt(0));
  varint(list.length);
  let last = 0;
  for (const [lo, hi] of list) { varint(lo - last); varint(hi - lo); last = hi }
};
for (const g of gc) write('gc=' + g, `\\p{gc=${g}}`);
for (const s of scripts) { write('sc=' + s, `\\p{sc=${s}}`); write('scx=' + s, `\\p{scx=${s}}`) }
for (const b of binary) write(b, `\\p{${b}}`);
writeFileSync(join(here, 'properties.bin'), Uint8Array.from(bytes));
console.log(bytes.length + ' bytes, unicode ' + process.versions.unicode);

// The properties of strings, found by trying all that has the form of one.
const emoji = [], plain = [], bases = [];
for (let c = 0; c <= 0x1ffff; c++) {
  const s = String.fromCodePoint(c);
  if (/\p{Emoji}/u.test(s)) emoji.push(s);
  if (/\p{Emoji_Modifier_Base}/u.test(s)) bases.push(s);
}
const mods = ['', ...[0x1f3fb, 0x1f3fc, 0x1f3fd, 0x1f3fe, 0x1f3ff].map((c) => String.fromCodePoint(c))], J = '\u200d', V = '\ufe0f';
const lines = [];
const keep = (name, list) => { const re = new RegExp(`^\\p{${name}}$`, 'v'); for (const s of new Set(list)) if (re.test(s)) lines.push(name + ' ' + s) };
keep('Basic_Emoji', emoji.flatMap((e) => [e, e + V]));
keep('Emoji_Keycap_Sequence', [...'0123456789#*'].map((c) => c + V + '\u20e3'));
keep('RGI_Emoji_Modifier_Sequence', bases.flatMap((b) => mods.slice(1).map((m) => b + m)));
const ri = Array.from({ length: 26 }, (_, i) => String.fromCodePoint(0x1f1e6 + i));
keep('RGI_Emoji_Flag_Sequence', ri.flatMap((a) => ri.map((b) => a + b)));
const tags = (t) => '\u{1f3f4}' + [...t].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('') + '\u{e007f}';
const abc = 'abcdefghijklmnopqrstuvwxyz'.split('');
keep('RGI_Emoji_Tag_Sequence', abc.flatMap((a) => abc.flatMap((b) => abc.map((c) => tags('gb' + a + b + c)))));
const people = ['\u{1f468}', '\u{1f469}', '\u{1f9d1}'], small = ['\u{1f466}', '\u{1f467}', '\u{1f9d2}'], skin = people.flatMap((p) => mods.map((m) => p + m));
const ends = emoji.flatMap((e) => [e, e + V]);
const zwj = [];
for (const b of [...bases.flatMap((x) => mods.map((m) => x + m)), ...emoji.flatMap((e) => [e, e + V])]) for (const g of ['\u2640\ufe0f', '\u2642\ufe0f']) zwj.push(b + J + g);
for (const p of skin) for (const e of ends) zwj.push(p + J + e, ...['\u27a1\ufe0f'].map((x) => p + J + e + J + x), ...['\u2640\ufe0f', '\u2642\ufe0f'].map((g) => p + J + g + J + e));
for (const b of bases) for (const m of mods) for (const g of ['\u2640\ufe0f', '\u2642\ufe0f']) zwj.push(b + m + J + g + J + '\u27a1\ufe0f'), zwj.push(b + m + J + '\u27a1\ufe0f');
for (const a of skin) for (const b of skin) { for (const l of ['\u2764\ufe0f', '\u2764\ufe0f' + J + '\u{1f48b}', '\u{1f91d}', '\u{1f430}', '\u{1fab0}', '\u{1faef}']) zwj.push(a + J + l + J + b) }
for (const m of mods) for (const n of mods) for (const [x, y] of [['\u{1faf1}', '\u{1faf2}'], ['\u{1f46f}', ''], ['\u{1f93c}', '']]) zwj.push(x + m + J + y + n);
for (const a of people) for (const b of [...people, ...small]) { zwj.push(a + J + b); for (const c of small) { zwj.push(a + J + b + J + c); for (const d of small) zwj.push(a + J + b + J + c + J + d) } }
const things = ends.filter((e) => [...e].length <= 2);
const re = /^\p{RGI_Emoji_ZWJ_Sequence}$/v;
for (const a of things) { if (skin.includes(a)) continue; for (const b of things) { const s = a + J + b; if (re.test(s)) zwj.push(s) } }
keep('RGI_Emoji_ZWJ_Sequence', zwj);
writeFileSync(join(here, 'sequences.txt'), lines.sort().join('\n') + '\n');
console.log(lines.length + ' sequences');
