// == grouping of numbers
print((1234567.891).toLocaleString(), (1234567.891).toLocaleString('en-US'), (-0.5).toLocaleString(), (1e21).toLocaleString(), NaN.toLocaleString(), Infinity.toLocaleString(), (0).toLocaleString(), (-0).toLocaleString(), (999).toLocaleString(), (1000).toLocaleString());
// == fraction digits
const n = 1234.5; print(n.toLocaleString('en-US', { minimumFractionDigits: 2 }), n.toLocaleString('en-US', { maximumFractionDigits: 0 }), (1.005).toLocaleString('en-US', { maximumFractionDigits: 2 }), (2.5).toLocaleString('en-US', { maximumFractionDigits: 0 }), (0.00001).toLocaleString('en-US', { maximumFractionDigits: 6 }), (1.5).toLocaleString(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 3 })); fails(() => n.toLocaleString('en-US', { minimumFractionDigits: 101 })); fails(() => n.toLocaleString('en-US', { minimumFractionDigits: 5, maximumFractionDigits: 2 }));
// == significant digits and padding
print((123456).toLocaleString('en-US', { maximumSignificantDigits: 3 }), (1.5).toLocaleString('en-US', { minimumSignificantDigits: 4 }), (5).toLocaleString('en-US', { minimumIntegerDigits: 3 }), (1234).toLocaleString('en-US', { useGrouping: false }));
// == money
print((1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' }), (-3).toLocaleString('en-US', { style: 'currency', currency: 'EUR' }), (1e6).toLocaleString('en-US', { style: 'currency', currency: 'JPY' }), (9.999).toLocaleString('en-US', { style: 'currency', currency: 'GBP' }), (5).toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }), (0.004).toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 4 })); fails(() => (1).toLocaleString('en-US', { style: 'currency' }));
// == percent
print((0.256).toLocaleString('en-US', { style: 'percent' }), (0.256).toLocaleString('en-US', { style: 'percent', minimumFractionDigits: 1 }), (12).toLocaleString('en-US', { style: 'percent' }), (-0.051).toLocaleString('en-US', { style: 'percent', maximumFractionDigits: 1 }));
// == compact notation
const f = new Intl.NumberFormat('en-US', { notation: 'compact' }); print([5, 999, 1000, 1234, 15300, 999999, 1234567, 2.5e9, 7e12].map((n) => f.format(n)), new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }).format(1550));
// == units
print((5).toLocaleString('en-US', { style: 'unit', unit: 'kilometer' }), new Intl.NumberFormat('en-US', { style: 'unit', unit: 'megabyte' }).format(12.5), new Intl.NumberFormat('en-US', { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(1), new Intl.NumberFormat('en-US', { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(3));
// == signs
const f = (o) => new Intl.NumberFormat('en-US', o).format; print([-1, 0, 1].map(f({ signDisplay: 'always' })), [-1, 0, 1].map(f({ signDisplay: 'exceptZero' })), [-1].map(f({ signDisplay: 'never' })));
// == other locales of numbers
const n = 1234567.89; print(n.toLocaleString('de-DE'), '|', n.toLocaleString('fr-FR'), '|', n.toLocaleString('en-GB'), '|', n.toLocaleString('es-ES'), '|', n.toLocaleString('sv-SE'), '|', n.toLocaleString('ja-JP'), '|', n.toLocaleString('de-CH'), '|', (1234).toLocaleString('es-ES'), '|', n.toLocaleString('en-IN'));
// == euros in German
print((1234.5).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' }), '|', (0.5).toLocaleString('de-DE', { style: 'percent' }), '|', (1234.5).toLocaleString('fr-FR', { style: 'currency', currency: 'EUR' }));
// == NumberFormat objects
const f = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }); const { format } = f; print(format(3), [1, 2].map(f.format), f.resolvedOptions().locale, f.resolvedOptions().minimumFractionDigits, Object.prototype.toString.call(f), Intl.NumberFormat('en').format(1e6), f.format('1234.5'), f.format(12345678901234567890n), f.formatToParts(1234.5).map((p) => p.type + ':' + p.value));
// == DateTimeFormat objects
const f = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: '2-digit', timeZone: 'UTC' }); print(f.format(new Date(0)), [0, 864e5].map(f.format), f.resolvedOptions().timeZone, f.formatToParts(new Date(0)).map((p) => p.type + ':' + p.value), new Intl.DateTimeFormat('en-US').format(0), new Intl.DateTimeFormat().resolvedOptions().timeZone, new Intl.DateTimeFormat().resolvedOptions().locale);
// == comparing with numbers in names
const xs = ['file10', 'file2', 'File1', 'file1']; print(xs.toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true })), xs.toSorted(new Intl.Collator('en', { numeric: true }).compare), xs.toSorted((a, b) => a.localeCompare(b)), xs.toSorted());
// == comparing with less sensitivity
print('a'.localeCompare('A'), 'a'.localeCompare('á', 'en', { sensitivity: 'base' }), 'a'.localeCompare('A', 'en', { sensitivity: 'base' }), 'a'.localeCompare('A', 'en', { sensitivity: 'accent' }), 'a'.localeCompare('á', 'en', { sensitivity: 'accent' }), 'a'.localeCompare('á', undefined, { sensitivity: 'case' }), 'résumé'.localeCompare('resume'), 'a'.localeCompare('b', 'de'));
// == order of letters, digits, signs and case
print(['b', 'a', 'B', 'A', '1', '_', 'é', 'e', 'f', '-x', 'x', 'Z', 'z', 'ä', 'o', 'ö'].sort((a, b) => a.localeCompare(b)), ''.localeCompare('a'), 'a'.localeCompare(''), 'same'.localeCompare('same'));
// == order with spaces and punctuation
print(['a b', 'ab', 'a-b', 'a_b', 'a.b', 'aB', 'a/b', 'a:b'].sort((a, b) => a.localeCompare(b)));
// == upper case first
print(['b', 'B', 'a', 'A'].sort(new Intl.Collator('en', { caseFirst: 'upper' }).compare), new Intl.Collator('en').compare('x', 'y'), new Intl.Collator().resolvedOptions().sensitivity);
// == plural rules
const p = new Intl.PluralRules('en-US'), o = new Intl.PluralRules('en-US', { type: 'ordinal' }); const th = (n) => n + { one: 'st', two: 'nd', few: 'rd', other: 'th' }[o.select(n)]; print([0, 1, 2, 1.5].map((n) => p.select(n)), [1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(th));
// == lists in words
print(new Intl.ListFormat('en', { style: 'long', type: 'conjunction' }).format(['a', 'b', 'c']), new Intl.ListFormat('en', { type: 'disjunction' }).format(['a', 'b']), new Intl.ListFormat('en').format(['x']), new Intl.ListFormat('en', { style: 'narrow', type: 'unit' }).format(['1h', '2m']), new Intl.ListFormat('en').format([]));
// == relative times
const r = new Intl.RelativeTimeFormat('en', { numeric: 'auto' }); print(r.format(-1, 'day'), r.format(1, 'day'), r.format(0, 'day'), r.format(-3, 'months'), r.format(2, 'week'), new Intl.RelativeTimeFormat('en').format(-1, 'hour'), new Intl.RelativeTimeFormat('en').format(5, 'minute')); fails(() => r.format(1, 'eon'));
// == segments
const s = new Intl.Segmenter('en', { granularity: 'grapheme' }); print([...s.segment('e\u0301👨‍👩‍👧🇩🇪x')].map((x) => x.segment), [...new Intl.Segmenter('en', { granularity: 'word' }).segment('Hello, big world!')].filter((x) => x.isWordLike).map((x) => x.segment));
// == locales that are wrong
fails(() => (1).toLocaleString('no_such_locale!')); fails(() => new Intl.NumberFormat('x')); fails(() => 'a'.localeCompare('b', 'zz-!')); fails(() => new Date(0).toLocaleString('en-US', { dateStyle: 'huge' }));
// == options that are wrong
fails(() => (1).toLocaleString('en-US', { style: 'funny' })); fails(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: -1 })); fails(() => new Intl.PluralRules('en', { type: 'x' })); fails(() => new Intl.NumberFormat('en-US', { style: 'unit' }));
// == what Intl is
print(Object.prototype.toString.call(Intl), Intl.getCanonicalLocales('EN-us'), Intl.NumberFormat.supportedLocalesOf(['en-US']), typeof Intl.DateTimeFormat, Intl.NumberFormat.name, Intl.NumberFormat.length); fails(() => Intl.Collator.prototype.compare);
// == table with columns of numbers
const rows = [['a', 1234.5], ['bb', 7]]; print(rows.map(([n, v]) => n.padEnd(4) + v.toLocaleString('en-US', { minimumFractionDigits: 2 }).padStart(10)).join('\n'));
