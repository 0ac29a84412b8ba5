// Intl for the common forms. A locale, a zone or an option that is not here throws:
// a report must never show a wrong number without a word.
(function (host, global) {
  'use strict';
  const O = Object, S = String, N = Number, A = Array, T = TypeError, R = RangeError, { apply } = Reflect;
  const define = O.defineProperty, isArray = A.isArray, tagKey = Symbol.toStringTag;
  const hide = (to, name, value) => define(to, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  const fill = (text, n) => { while (text.length < n) text = '0' + text; return text };

  // --- locales ---
  const nb = '\u00a0', thin = '\u202f';
  const forms = { __proto__: null,
    en: [',', '.'], ja: [',', '.'], zh: [',', '.'], ko: [',', '.'], he: [',', '.'], th: [',', '.'],
    de: ['.', ','], nl: ['.', ','], it: ['.', ','], da: ['.', ','], tr: ['.', ','], id: ['.', ','], el: ['.', ','], es: ['.', ','], pt: ['.', ','],
    fr: [thin, ','], sv: [nb, ','], nb: [nb, ','], no: [nb, ','], fi: [nb, ','], cs: [nb, ','], pl: [nb, ','], ru: [nb, ','], uk: [nb, ','], hu: [nb, ','],
    'de-CH': ["'", '.'], 'de-AT': [nb, ','], 'pt-PT': [nb, ','], 'en-ZA': [nb, ','] };
  const late = { __proto__: null, es: 1, pl: 1, 'pt-PT': 1 }; // no group before five digits
  const localeOf = (locales) => {
    const given = locales === undefined ? 'en-US' : isArray(locales) ? (locales.length ? locales[0] : 'en-US') : locales;
    if (typeof given !== 'string' && typeof given !== 'object') throw new T('Incorrect locale information provided');
    const name = S(given);
    if (!/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(name)) throw new R('Incorrect locale information provided');
    const parts = name.split('-');
    return parts.map((p, i) => i === 0 ? p.toLowerCase() : p.length === 2 ? p.toUpperCase() : p.length === 4 ? p[0].toUpperCase() + p.slice(1).toLowerCase() : p).join('-');
  };
  const supported = (locale) => {
    const form = forms[locale] ?? forms[locale.split('-')[0]];
    if (!form) throw new R('the locale ' + locale + ' is not available in workflow scripts: leave it out, or use en-US');
    return form;
  };
  const oneOf = (where, options, name, values, otherwise) => {
    const v = options[name];
    if (v === undefined) return otherwise;
    if (!values.includes(S(v))) throw new R('Value ' + S(v) + ' out of range for ' + where + ' options property ' + name);
    return S(v);
  };
  const digitsOption = (options, name, low, high, otherwise) => {
    const v = options[name];
    if (v === undefined) return otherwise;
    const n = N(v);
    if (!(n >= low && n <= high)) throw new R(name + ' value is out of range.');
    return Math.floor(n);
  };

  // --- decimal digits, rounded half up as they stand ---
  const digitsOf = (v) => {
    const text = typeof v === 'bigint' ? S(v) : S(v), negative = text[0] === '-' || O.is(v, -0);
    let [mantissa, exponent] = text.replace('-', '').split('e');
    let [whole, part = ''] = mantissa.split('.');
    for (let e = N(exponent ?? 0); e > 0; e--) { whole += part[0] ?? '0'; part = part.slice(1) }
    for (let e = N(exponent ?? 0); e < 0; e++) { part = (whole.at(-1) ?? '0') + part; whole = whole.slice(0, -1) }
    return { negative, whole: whole.replace(/^0+/, ''), part };
  };
  const increment = (text) => {
    let out = '', carry = 1;
    for (let i = text.length - 1; i >= 0; i--) { const d = N(text[i]) + carry; carry = d > 9 ? 1 : 0; out = d % 10 + out }
    return carry ? '1' + out : out;
  };
  const cut = (d, places) => {
    if (d.part.length <= places && places >= 0) return d;
    const all = d.whole + d.part, keep = d.whole.length + places;
    if (keep < 0) return { ...d, whole: '', part: '' };
    let head = all.slice(0, keep);
    const up = N(all[keep] ?? 0) >= 5;
    if (places < 0) { head = up ? increment(head || '0') : head; return { ...d, whole: (head + '0'.repeat(-places)).replace(/^0+/, ''), part: '' } }
    if (up) { const longer = increment(head || '0'); head = head === '' && longer === '0' ? '' : longer }
    const shift = head.length - places;
    head = shift < 0 ? '0'.repeat(-shift) + head : head;
    return { ...d, whole: head.slice(0, head.length - places).replace(/^0+/, ''), part: head.slice(head.length - places) };
  };
  const trimmed = (part, least) => { while (part.length > least && part.at(-1) === '0') part = part.slice(0, -1); return fill2(part, least) };
  const fill2 = (part, n) => { while (part.length < n) part += '0'; return part };
  const grouped = (whole, sign, locale) => {
    if (late[locale] || late[locale.split('-')[0]] && !(locale in forms)) { if (whole.length < 5) return [whole] }
    const out = [];
    let size = 3, rest = whole;
    while (rest.length > size) { out.unshift(rest.slice(-size)); rest = rest.slice(0, -size); if (locale === 'en-IN') size = 2 }
    out.unshift(rest);
    return out;
  };

  // --- numbers ---
  const symbols = { __proto__: null, USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩', CAD: 'CA$', AUD: 'A$', MXN: 'MX$', BRL: 'R$', NZD: 'NZ$', ILS: '₪', VND: '₫', TWD: 'NT$', HKD: 'HK$', PHP: '₱' };
  const noCents = { __proto__: null, JPY: 1, KRW: 1, VND: 1, CLP: 1, ISK: 1 };
  const units = { __proto__: null, kilometer: ['km'], meter: ['m'], centimeter: ['cm'], mile: ['mi'], kilogram: ['kg'], gram: ['g'], liter: ['L'], byte: ['byte'], kilobyte: ['kB'], megabyte: ['MB'],
    gigabyte: ['GB'], terabyte: ['TB'], second: ['sec'], minute: ['min'], hour: ['hr'], day: ['day', 'days'], week: ['wk', 'wks'], month: ['mth', 'mths'], year: ['yr', 'yrs'], millisecond: ['ms'], percent: ['%'], celsius: ['°C'] };
  const numberSettings = (where, locales, options) => {
    const locale = localeOf(locales), o = options === undefined ? {} : O(options), form = supported(locale);
    const style = oneOf(where, o, 'style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
    const s = { __proto__: null, locale, form, style, currency: undefined, unit: undefined };
    if (o.currency !== undefined) {
      s.currency = S(o.currency).toUpperCase();
      if (!/^[A-Z]{3}$/.test(s.currency)) throw new R('Invalid currency code : ' + S(o.currency));
    }
    if (style === 'currency' && s.currency === undefined) throw new T('Currency code is required with currency style.');
    s.currencyDisplay = oneOf(where, o, 'currencyDisplay', ['symbol', 'narrowSymbol', 'code', 'name'], 'symbol');
    if (s.currencyDisplay === 'name') throw new R('currencyDisplay: "name" is not available in workflow scripts');
    if (style === 'unit') {
      if (o.unit === undefined) throw new T("Invalid unit argument for Intl.NumberFormat() ''");
      s.unit = S(o.unit);
      if (!units[s.unit]) throw new R('the unit ' + s.unit + ' is not available in workflow scripts');
    }
    s.unitDisplay = oneOf(where, o, 'unitDisplay', ['short', 'narrow', 'long'], 'short');
    s.notation = oneOf(where, o, 'notation', ['standard', 'compact', 'scientific', 'engineering'], 'standard');
    s.compactDisplay = oneOf(where, o, 'compactDisplay', ['short', 'long'], 'short');
    if (s.notation === 'scientific' || s.notation === 'engineering') throw new R('notation: "' + s.notation + '" is not available in workflow scripts');
    if ((s.notation === 'compact' || style === 'unit') && locale.split('-')[0] !== 'en') throw new R('this format is not available in workflow scripts for ' + locale);
    if (o.roundingMode !== undefined && o.roundingMode !== 'halfExpand') throw new R('roundingMode: "' + S(o.roundingMode) + '" is not available in workflow scripts');
    s.signDisplay = oneOf(where, o, 'signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative'], 'auto');
    s.useGrouping = o.useGrouping === undefined ? true : !!o.useGrouping && o.useGrouping !== 'false';
    s.minimumIntegerDigits = digitsOption(o, 'minimumIntegerDigits', 1, 21, 1);
    const cents = style === 'currency' ? noCents[s.currency] ? 0 : 2 : 0;
    const least = digitsOption(o, 'minimumFractionDigits', 0, 100), most = digitsOption(o, 'maximumFractionDigits', 0, 100);
    s.compactRounding = s.notation === 'compact' && least === undefined && most === undefined;
    const top = style === 'currency' ? cents : style === 'percent' || s.notation === 'compact' ? 0 : 3;
    s.minimumFractionDigits = least ?? (most === undefined ? cents : Math.min(cents, most));
    s.maximumFractionDigits = most ?? Math.max(top, s.minimumFractionDigits);
    if (s.minimumFractionDigits > s.maximumFractionDigits) throw new R('maximumFractionDigits value is out of range.');
    const low = digitsOption(o, 'minimumSignificantDigits', 1, 21), high = digitsOption(o, 'maximumSignificantDigits', low ?? 1, 21);
    if (low !== undefined || high !== undefined) { s.minimumSignificantDigits = low ?? 1; s.maximumSignificantDigits = high ?? 21 }
    return s;
  };
  const significant = (d, most) => {
    const lead = d.whole !== '' ? d.whole.length : -(/^0*/.exec(d.part)[0].length);
    return cut(d, most - lead);
  };
  const rounded = (d, s) => {
    if (s.maximumSignificantDigits !== undefined) {
      d = significant(d, s.maximumSignificantDigits);
      const shown = d.whole !== '' ? d.whole.length : -(/^0*/.exec(d.part)[0].length);
      return { ...d, part: trimmed(d.part, Math.max(0, s.minimumSignificantDigits - shown)) };
    }
    if (s.compactRounding) { d = d.whole.length >= 2 ? cut(d, 0) : significant(d, 2); return { ...d, part: trimmed(d.part, 0) } }
    d = cut(d, s.maximumFractionDigits);
    return { ...d, part: trimmed(d.part, s.minimumFractionDigits) };
  };
  const scales = [['', ''], ['K', ' thousand'], ['M', ' million'], ['B', ' billion'], ['T', ' trillion']];
  const numberParts = (s, value) => {
    let v = typeof value === 'bigint' ? value : N(value), suffix = '', d;
    const special = v !== v ? 'NaN' : v === Infinity || v === -Infinity ? '∞' : undefined;
    if (special === undefined) {
      d = digitsOf(v);
      if (s.style === 'percent') d = { ...d, whole: (d.whole + fill2(d.part, 2).slice(0, 2)).replace(/^0+/, ''), part: d.part.slice(2) };
      if (s.notation === 'compact') {
        let step = Math.min(4, Math.max(0, Math.floor((d.whole.length - 1) / 3)));
        const scaled = (n) => ({ ...d, whole: d.whole.slice(0, d.whole.length - 3 * n), part: n ? d.whole.slice(-3 * n) + d.part : d.part });
        let r = rounded(scaled(step), s);
        if (r.whole.length > 3 && step < 4) r = rounded(scaled(++step), s);
        suffix = scales[step][s.compactDisplay === 'long' ? 1 : 0];
        d = r;
      } else d = rounded(d, s);
    }
    const zero = d && d.whole === '' && /^0*$/.test(d.part), negative = special ? v === -Infinity : d.negative;
    const sign = s.signDisplay === 'never' ? '' : s.signDisplay === 'always' ? negative ? '-' : '+' : s.signDisplay === 'exceptZero' ? zero || special === 'NaN' ? '' : negative ? '-' : '+'
      : s.signDisplay === 'negative' ? negative && !zero ? '-' : '' : negative ? '-' : '';
    const parts = [];
    const add = (type, text) => { if (text !== '') parts[parts.length] = { type, value: text } };
    const language = s.locale.split('-')[0], before = language === 'en' || language === 'ja' || language === 'zh' || language === 'ko';
    const symbol = s.style !== 'currency' ? '' : s.currencyDisplay === 'code' ? s.currency : s.currencyDisplay === 'narrowSymbol' ? (symbols[s.currency] ?? s.currency).replace(/^[A-Z]+(?=[^A-Z])/, '') :
      language === 'ja' && s.currency === 'JPY' ? '￥' : symbols[s.currency] ?? s.currency;
    add(sign === '-' ? 'minusSign' : 'plusSign', sign === '-' && language === 'sv' ? '\u2212' : sign);
    if (symbol && before) { add('currency', symbol); if (/[A-Z]$/.test(symbol)) add('literal', nb) }
    if (special) add(special === 'NaN' ? 'nan' : 'infinity', special);
    else {
      const whole = fill(d.whole, s.minimumIntegerDigits);
      const groups = s.useGrouping ? grouped(whole, sign, s.locale) : [whole];
      groups.forEach((g, i) => { if (i) add('group', s.form[0]); add('integer', g) });
      if (d.part !== '') { add('decimal', s.form[1]); add('fraction', d.part) }
    }
    add('compact', suffix);
    if (symbol && !before) { add('literal', nb); add('currency', symbol) }
    if (s.style === 'percent') { if (!before && language !== 'it' && language !== 'pt' && language !== 'nl' && language !== 'tr' && language !== 'id' && language !== 'el') add('literal', language === 'fr' ? thin : nb); add('percentSign', '%') }
    if (s.style === 'unit') {
      const one = !special && d.whole === '1' && d.part === '', [short, many = short] = units[s.unit];
      add('literal', s.unitDisplay === 'narrow' || s.unit === 'percent' || s.unit === 'celsius' && s.unitDisplay !== 'long' ? '' : ' ');
      add('unit', s.unitDisplay === 'long' ? s.unit + (one ? '' : 's') : one ? short : many);
    }
    return parts;
  };
  const joined = (parts) => { let out = ''; for (let i = 0; i < parts.length; i++) out += parts[i].value; return out };

  // --- constructors ---
  const Intl = {};
  define(Intl, tagKey, { __proto__: null, value: 'Intl', configurable: true });
  const canonical = (list) => [...new Set((list === undefined ? [] : isArray(list) ? list : [list]).map(localeOf))];
  hide(Intl, 'getCanonicalLocales', { getCanonicalLocales(list) { return canonical(list) } }.getCanonicalLocales);
  const known = (locale) => locale in forms || locale.split('-')[0] in forms;
  // kind makes one constructor: settings come from the arguments, methods get them.
  const kind = (name, needsNew, read, methods, bound) => {
    const kept = new WeakMap(), of = (o, method) => {
      const s = kept.get(O(o));
      if (s === undefined) throw new T('Method ' + method + ' called on incompatible receiver ' + host.show(o));
      return s;
    };
    const C = { [name]: function (locales, options) {
      if (new.target === undefined && needsNew) throw new T("Constructor Intl." + name + " requires 'new'");
      const settings = read(locales, options), made = new.target === undefined ? O.create(C.prototype) : this;
      kept.set(made, settings);
      return made;
    } }[name];
    define(C, 'length', { __proto__: null, value: 0, configurable: true });
    for (const m in methods) hide(C.prototype, m, { [m](...list) { return methods[m](of(this, 'Intl.' + name + '.prototype.' + m), ...list) } }[m]);
    for (const m in bound) {
      const functions = new WeakMap();
      define(C.prototype, m, { __proto__: null, configurable: true, enumerable: false, get() {
        const s = of(this, 'get Intl.' + name + '.prototype.' + m);
        if (!functions.has(this)) functions.set(this, (...list) => bound[m](s, ...list));
        return functions.get(this);
      } });
    }
    define(C.prototype, tagKey, { __proto__: null, value: 'Intl.' + name, configurable: true });
    hide(C, 'supportedLocalesOf', { supportedLocalesOf(list) { return canonical(list).filter(known) } }.supportedLocalesOf);
    hide(Intl, name, C);
    return C;
  };
  const visible = (s, ...names) => { const out = { locale: s.locale }; for (const n of names) if (s[n] !== undefined) out[n] = s[n]; return out };
  kind('NumberFormat', false, (l, o) => numberSettings('Intl.NumberFormat', l, o), {
    formatToParts: (s, v) => numberParts(s, v),
    resolvedOptions: (s) => ({ ...visible(s, 'style', 'currency', 'unit', 'minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits', 'maximumSignificantDigits', 'notation', 'signDisplay'), numberingSystem: 'latn' }),
  }, { format: (s, v) => joined(numberParts(s, v)) });
  hide(N.prototype, 'toLocaleString', { toLocaleString(...list) {
    return joined(numberParts(numberSettings('Number.prototype.toLocaleString', list[0], list[1]), N.prototype.valueOf.call(this)));
  } }.toLocaleString);
  hide(BigInt.prototype, 'toLocaleString', { toLocaleString(...list) {
    return joined(numberParts(numberSettings('BigInt.prototype.toLocaleString', list[0], list[1]), BigInt.prototype.valueOf.call(this)));
  } }.toLocaleString);

  const collation = (where) => (locales, options) => {
    const locale = localeOf(locales), o = options === undefined ? {} : O(options);
    oneOf(where, o, 'usage', ['sort', 'search'], 'sort');
    return { __proto__: null, locale, usage: 'sort', sensitivity: oneOf(where, o, 'sensitivity', ['base', 'accent', 'case', 'variant'], 'variant'), ignorePunctuation: !!o.ignorePunctuation,
      numeric: !!o.numeric, caseFirst: oneOf(where, o, 'caseFirst', ['upper', 'lower', 'false'], 'false') };
  };
  const compare = (s, a, b) => host.collate(S(a), S(b), s.locale, s.numeric, s.sensitivity, s.caseFirst, s.ignorePunctuation);
  kind('Collator', false, collation('Intl.Collator'), { resolvedOptions: (s) => visible(s, 'usage', 'sensitivity', 'ignorePunctuation', 'numeric', 'caseFirst') }, { compare });
  const plain = collation('')();
  hide(S.prototype, 'localeCompare', { localeCompare(that, ...list) {
    if (this === undefined || this === null) throw new T('String.prototype.localeCompare called on null or undefined');
    return compare(list.length === 0 ? plain : collation('String.prototype.localeCompare')(list[0], list[1]), S(this), that);
  } }.localeCompare);

  const english = (what, l) => {
    const locale = localeOf(l);
    if (locale.split('-')[0] !== 'en') throw new R(what + ' is available in workflow scripts for en only, and not for ' + locale);
    return locale;
  };
  kind('PluralRules', true, (l, o = {}) => ({ __proto__: null, locale: english('Intl.PluralRules', l), type: oneOf('Intl.PluralRules', o, 'type', ['cardinal', 'ordinal'], 'cardinal') }), {
    select: (s, v) => {
      const n = Math.abs(N(v));
      if (s.type === 'cardinal') return n === 1 ? 'one' : 'other';
      const ten = n % 10, hundred = n % 100;
      return ten === 1 && hundred !== 11 ? 'one' : ten === 2 && hundred !== 12 ? 'two' : ten === 3 && hundred !== 13 ? 'few' : 'other';
    },
    resolvedOptions: (s) => visible(s, 'type'),
  });
  kind('ListFormat', true, (l, o = {}) => ({ __proto__: null, locale: english('Intl.ListFormat', l), type: oneOf('Intl.ListFormat', o, 'type', ['conjunction', 'disjunction', 'unit'], 'conjunction'),
    style: oneOf('Intl.ListFormat', o, 'style', ['long', 'short', 'narrow'], 'long') }), {
    format: (s, items) => {
      const list = [...items].map((x) => { if (typeof x !== 'string') throw new T('Iterable yielded ' + host.show(x) + ' which is not a string'); return x });
      const comma = s.type === 'unit' && s.style === 'narrow' ? ' ' : ', ';
      const word = s.type === 'unit' ? '' : s.type === 'disjunction' ? 'or ' : s.style === 'long' ? 'and ' : s.style === 'short' ? '& ' : '';
      if (list.length < 2) return list.join('');
      if (list.length === 2) return list[0] + (word ? ' ' + word : comma) + list[1];
      return list.slice(0, -1).join(comma) + comma + word + list.at(-1);
    },
    resolvedOptions: (s) => visible(s, 'type', 'style'),
  });
  const spans = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'];
  const near = { __proto__: null, day: ['yesterday', 'today', 'tomorrow'], year: ['last year', 'this year', 'next year'], quarter: ['last quarter', 'this quarter', 'next quarter'], month: ['last month', 'this month', 'next month'],
    week: ['last week', 'this week', 'next week'], hour: [, 'this hour'], minute: [, 'this minute'], second: [, 'now'] };
  kind('RelativeTimeFormat', true, (l, o = {}) => {
    if (o.style !== undefined && o.style !== 'long') throw new R('style: "' + S(o.style) + '" of Intl.RelativeTimeFormat is not available in workflow scripts');
    return { __proto__: null, locale: english('Intl.RelativeTimeFormat', l), numeric: oneOf('Intl.RelativeTimeFormat', o, 'numeric', ['always', 'auto'], 'always'), style: 'long' };
  }, {
    format: (s, v, unit) => {
      const n = N(v), name = S(unit).replace(/s$/, '');
      if (!spans.includes(name)) throw new R("Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '" + S(unit) + "'");
      const word = s.numeric === 'auto' ? near[name][n + 1] : undefined;
      if (word !== undefined) return word;
      const text = joined(numberParts(numberSettings('', s.locale), Math.abs(n))) + ' ' + name + (Math.abs(n) === 1 ? '' : 's');
      return n < 0 || O.is(n, -0) ? text + ' ago' : 'in ' + text;
    },
    resolvedOptions: (s) => visible(s, 'style', 'numeric'),
  });
  // The engine's own literals know no properties, so these are made by RegExp.
  const grapheme = '\\p{Regional_Indicator}{2}|\\r\\n|\\P{M}(?:[\\p{M}\\u200c\\u{1f3fb}-\\u{1f3ff}\\u{e0020}-\\u{e007f}]|\\u200d\\p{Extended_Pictographic})*|[^]';
  const wordly = "[\\p{L}\\p{N}\\p{M}_]+(?:['’.][\\p{L}\\p{N}\\p{M}_]+)*|\\s+|[^]";
  kind('Segmenter', true, (l, o = {}) => {
    const granularity = oneOf('Intl.Segmenter', o, 'granularity', ['grapheme', 'word', 'sentence'], 'grapheme');
    if (granularity === 'sentence') throw new R('granularity: "sentence" is not available in workflow scripts');
    return { __proto__: null, locale: english('Intl.Segmenter', l), granularity };
  }, {
    segment: (s, text) => {
      const input = S(text), words = s.granularity === 'word';
      const pattern = new RegExp(words ? wordly : grapheme, 'gu'), wordLike = new RegExp('[\\p{L}\\p{N}]', 'u');
      const list = [...input.matchAll(pattern)].map((m) => {
        const one = { segment: m[0], index: m.index, input };
        if (words) one.isWordLike = wordLike.test(m[0]);
        return one;
      });
      return { containing: (at = 0) => list.findLast((x) => x.index <= at), [Symbol.iterator]: () => list[Symbol.iterator]() };
    },
    resolvedOptions: (s) => visible(s, 'granularity'),
  });

  return { __proto__: null, Intl, kind, localeOf, oneOf, fill, joined, visible };
})
