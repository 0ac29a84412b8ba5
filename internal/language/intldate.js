// Dates in words: Intl.DateTimeFormat and the toLocale methods of Date. All is in
// UTC. English has all forms, some other languages the plain numbers.
(function (shared, D) {
  'use strict';
  const { kind, localeOf, oneOf, fill, joined, visible } = shared;
  const O = Object, S = String, R = RangeError, { apply } = Reflect, P = D.prototype, getTime = P.getTime;
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
  // The order of the numbers, what is between, and whether there are two digits.
  const orders = { __proto__: null, 'en-US': ['mdy', '/', false], en: ['mdy', '/', false], 'en-GB': ['dmy', '/', true], 'en-AU': ['dmy', '/', true], 'en-CA': ['ymd', '-', true], 'en-IN': ['dmy', '/', false],
    de: ['dmy', '.', false], fr: ['dmy', '/', true], es: ['dmy', '/', false], it: ['dmy', '/', false], pt: ['dmy', '/', true], sv: ['ymd', '-', true], ja: ['ymd', '/', false], zh: ['ymd', '/', false] };
  const fields = ['weekday', 'year', 'month', 'day'], clock = ['hour', 'minute', 'second'];
  const two = ['numeric', '2-digit'];
  const settings = (where, need, defaults) => (locales, options) => {
    const locale = localeOf(locales), o = options === undefined ? {} : O(options);
    const order = orders[locale] ?? orders[locale.split('-')[0]];
    if (!order) throw new R('dates in the locale ' + locale + ' are not available in workflow scripts: leave it out, or use en-US');
    const zone = o.timeZone === undefined ? 'UTC' : S(o.timeZone);
    if (!/^[A-Za-z_+-]+(\/[\w+-]+)*$/.test(zone)) throw new R('Invalid time zone specified: ' + zone);
    if (!/^(utc|gmt|etc\/(utc|gmt)|z)$/i.test(zone)) throw new R('the time zone ' + zone + ' is not available in workflow scripts: dates are in UTC');
    const s = { __proto__: null, locale, order, timeZone: 'UTC', calendar: 'gregory' };
    s.dateStyle = oneOf(where, o, 'dateStyle', ['full', 'long', 'medium', 'short']);
    s.timeStyle = oneOf(where, o, 'timeStyle', ['full', 'long', 'medium', 'short']);
    s.weekday = oneOf(where, o, 'weekday', ['long', 'short', 'narrow']);
    s.year = oneOf(where, o, 'year', two);
    s.month = oneOf(where, o, 'month', [...two, 'long', 'short', 'narrow']);
    s.day = oneOf(where, o, 'day', two);
    for (const part of clock) s[part] = oneOf(where, o, part, two);
    s.timeZoneName = oneOf(where, o, 'timeZoneName', ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric']);
    for (const name of ['era', 'dayPeriod', 'fractionalSecondDigits']) if (o[name] !== undefined) throw new R('the option ' + name + ' is not available in workflow scripts');
    const cycle = oneOf(where, o, 'hourCycle', ['h11', 'h12', 'h23', 'h24']);
    const english = locale === 'en' || locale === 'en-US' || locale === 'en-AU' || locale === 'en-CA' || locale === 'en-IN';
    s.hour12 = o.hour12 !== undefined ? !!o.hour12 : cycle !== undefined ? cycle === 'h12' || cycle === 'h11' : english;
    const styled = s.dateStyle || s.timeStyle;
    const has = (list) => list.some((f) => s[f] !== undefined);
    if (!styled && !(need !== 'time' && has(fields)) && !(need !== 'date' && has(clock))) {
      if (defaults !== 'time') s.year = s.month = s.day = 'numeric';
      if (defaults !== 'date') s.hour = s.minute = s.second = 'numeric';
    }
    const words = s.weekday || s.month === 'long' || s.month === 'short' || s.month === 'narrow' || s.dateStyle && s.dateStyle !== 'short';
    if (words && locale.split('-')[0] !== 'en') throw new R('dates in words are available in workflow scripts for en only, and not for ' + locale);
    return expand(s);
  };
  // expand writes a style out.
  const expand = (s) => {
    const d = s.dateStyle, t = s.timeStyle;
    if (d) {
      s.year = d === 'short' ? '2-digit' : 'numeric';
      s.month = d === 'short' ? 'numeric' : d === 'medium' ? 'short' : 'long';
      s.day = 'numeric';
      if (d === 'full') s.weekday = 'long';
    }
    if (t) {
      s.hour = 'numeric'; s.minute = '2-digit';
      if (t !== 'short') s.second = '2-digit';
      if (t === 'long' || t === 'full') s.timeZoneName = t === 'full' ? 'long' : 'short';
    }
    return s;
  };
  const dateParts = (s, d, add) => {
    const number = (v, how) => how === '2-digit' ? fill(S(v % 100), 2) : S(v);
    const year = s.year && number(d.year, s.year), wide = s.month === 'long' || s.month === 'short' || s.month === 'narrow';
    const weekday = s.weekday && (s.weekday === 'long' ? days[d.weekday] : days[d.weekday].slice(0, s.weekday === 'short' ? 3 : 1));
    if (wide) {
      const name = s.month === 'long' ? months[d.month - 1] : months[d.month - 1].slice(0, s.month === 'short' ? 3 : 1), day = s.day && number(d.day, s.day);
      const british = s.order[0] === 'dmy';
      if (weekday) { add('weekday', weekday); add('literal', british ? ' ' : ', ') }
      if (british && day) { add('day', day); add('literal', ' ') }
      add('month', name);
      if (!british && day) { add('literal', ' '); add('day', day) }
      if (year) { add('literal', day && !british ? ', ' : ' '); add('year', year) }
      return;
    }
    if (weekday) { add('weekday', weekday); if (s.month || s.day || s.year) add('literal', ', ') }
    const all = s.year && s.month && s.day, pad = s.order[2] && all;
    const value = { y: year, m: s.month && (pad ? fill(S(d.month), 2) : number(d.month, s.month)), d: s.day && (pad ? fill(S(d.day), 2) : number(d.day, s.day)) };
    const names = { y: 'year', m: 'month', d: 'day' };
    let any = false;
    for (const c of s.order[0]) {
      if (!value[c]) continue;
      if (any) add('literal', s.order[1]);
      add(names[c], value[c]);
      any = true;
    }
  };
  const timeParts = (s, d, add) => {
    const h = s.hour12 ? d.hour % 12 || 12 : d.hour;
    let any = false;
    if (s.hour) { add('hour', s.hour === '2-digit' || !s.hour12 ? fill(S(h), 2) : S(h)); any = true }
    if (s.minute) { if (any) add('literal', ':'); add('minute', any || s.second ? fill(S(d.minute), 2) : S(d.minute)); any = true }
    if (s.second) { if (any) add('literal', ':'); add('second', any ? fill(S(d.second), 2) : S(d.second)) }
    if (s.hour && s.hour12) { add('literal', ' '); add('dayPeriod', d.hour < 12 ? 'AM' : 'PM') }
    if (s.timeZoneName) { add('literal', ' '); add('timeZoneName', s.timeZoneName === 'long' ? 'Coordinated Universal Time' : s.timeZoneName.includes('Offset') || s.timeZoneName.includes('Generic') ? 'GMT' : 'UTC') }
  };
  const parts = (s, date) => {
    if (date === undefined) throw new Error('the date is missing, and the clock is not available in workflow scripts: pass the time in through args');
    const time = new D(typeof date === 'object' ? apply(getTime, date, []) : date), at = apply(getTime, time, []);
    if (at !== at) throw new R('Invalid time value');
    const d = { year: time.getUTCFullYear(), month: time.getUTCMonth() + 1, day: time.getUTCDate(), weekday: time.getUTCDay(), hour: time.getUTCHours(), minute: time.getUTCMinutes(), second: time.getUTCSeconds() };
    const out = [], add = (type, value) => { out[out.length] = { type, value } };
    const hasDate = s.weekday || s.year || s.month || s.day, hasTime = s.hour || s.minute || s.second || s.timeZoneName;
    if (hasDate) dateParts(s, d, add);
    if (hasDate && hasTime) add('literal', s.dateStyle === 'full' || s.dateStyle === 'long' ? ' at ' : s.order[0] === 'ymd' && s.order[1] === '-' && s.locale.startsWith('sv') || /^(ja|zh|fr)/.test(s.locale) ? ' ' : ', ');
    if (hasTime) timeParts(s, d, add);
    return out;
  };
  kind('DateTimeFormat', false, settings('Intl.DateTimeFormat', 'any', 'date'), {
    formatToParts: parts,
    formatRange: () => { throw new R('formatRange() is not available in workflow scripts') },
    resolvedOptions: (s) => ({ ...visible(s, 'calendar'), numberingSystem: 'latn', ...visible(s, 'timeZone', 'weekday', 'year', 'month', 'day', 'hour', 'minute', 'second', 'dateStyle', 'timeStyle') }),
  }, { format: (s, date) => joined(parts(s, date)) });
  for (const [name, need, defaults] of [['toLocaleString', 'any', 'all'], ['toLocaleDateString', 'date', 'date'], ['toLocaleTimeString', 'time', 'time']]) {
    const read = settings('Date.prototype.' + name, need, defaults);
    O.defineProperty(P, name, { __proto__: null, writable: true, enumerable: false, configurable: true, value: { [name](...list) {
      const time = apply(getTime, this, []), s = read(list[0], list[1]);
      return time !== time ? 'Invalid Date' : joined(parts(s, time));
    } }[name] });
  }
})
