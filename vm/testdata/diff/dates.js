// == ISO text and parts
const d = new Date('2026-11-30T22:05:09.123Z'); print(d.toISOString(), d.getTime(), d.getFullYear(), d.getMonth(), d.getDate(), d.getDay(), d.getHours(), d.getMinutes(), d.getSeconds(), d.getMilliseconds(), d.getTimezoneOffset());
// == texts of dates
const d = new Date(Date.UTC(2026, 0, 5, 3, 4, 5)); print(String(d), d.toDateString(), d.toTimeString(), d.toUTCString(), d.toJSON(), JSON.stringify({ d }), d + 1, `${d}`, d - 0);
// == common forms that parse
for (const s of ['2026-03-07', '2026-03-07T10:00', '2026-03-07T10:00:00Z', '2026-03-07T10:00:00.5+02:00', 'March 7, 2026', 'Mar 7, 2026 10:00', '7 March 2026', '2026/03/07', '03/07/2026', 'Sat, 07 Mar 2026 10:00:00 GMT', '2026-03', '2026', '+002026-03-07T00:00:00Z']) print(s, new Date(s));
// == forms that do not parse
for (const s of ['', 'nonsense', '2026-13-01', '2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z', '32/01/2026']) print(s, new Date(s).getTime());
// == months roll over
print(new Date(2026, 12, 1), new Date(2026, 0, 32), new Date(2026, 0, 0), new Date(2024, 1, 29), new Date(99, 0), new Date(0, 0, 1), new Date(2026, 0, 1, 24, 60));
// == setters change and return the time
const d = new Date(0); print(d.setFullYear(2026, 1, 28), d.setDate(d.getDate() + 2), d, d.setHours(25, 61), d, d.setMonth(13), d, d.setTime(5), d.setUTCSeconds(90), d);
// == arithmetic and comparison
const a = new Date('2026-01-01'), b = new Date('2026-03-01'); print((b - a) / 864e5, a < b, +a === +new Date(a), a == new Date(a), Math.round((b - a) / 36e5), new Date(b - a).getUTCDate(), [b, a].sort((x, y) => x - y));
// == invalid dates
const d = new Date(NaN); print(String(d), d.getTime(), JSON.stringify([d]), d.toJSON(), isNaN(d), d.getDay()); fails(() => d.toISOString()); print(new Date(8.64e15).toISOString(), new Date(8.64e15 + 1).getTime(), new Date(undefined).getTime(), new Date(null).getTime());
// == Date.UTC and Date.parse
print(Date.UTC(2026, 0), Date.UTC(99, 0), Date.UTC(), Date.parse('2026-01-01'), Date.parse('Thu, 01 Jan 1970 00:00:00 GMT+0200'), Date.UTC.length, Date.length, Date.name);
// == conversion to primitives
const d = new Date(1000); print(d[Symbol.toPrimitive]('number'), typeof d[Symbol.toPrimitive]('default'), +d, d.valueOf(), Object.prototype.toString.call(d), typeof (d + 1)); fails(() => d[Symbol.toPrimitive]('bad'));
// == years before zero and far away
print(new Date(-1e14).toISOString(), new Date(1e15).toISOString(), new Date('-000001-01-01T00:00:00Z').getTime(), new Date(-62198755200000).toISOString());
// == subclasses of Date
class Day extends Date { get iso() { return this.toISOString().slice(0, 10) } } print(new Day('2026-05-06T07:08:09Z').iso, new Day(0) instanceof Date, new Day(0).getTime());
// == the default form for en-US
const d = new Date('2026-07-04T15:30:05Z'); print(d.toLocaleString(), '|', d.toLocaleDateString(), '|', d.toLocaleTimeString(), '|', d.toLocaleString('en-US'), '|', new Date('2026-01-02T00:05:00Z').toLocaleTimeString('en-US'));
// == dates in words
const d = new Date('2026-07-04T15:30:05Z'); for (const o of [{ dateStyle: 'full' }, { dateStyle: 'long' }, { dateStyle: 'medium' }, { dateStyle: 'short' }, { timeStyle: 'short' }, { timeStyle: 'medium' }, { dateStyle: 'medium', timeStyle: 'short' }, { dateStyle: 'long', timeStyle: 'short' }]) print(d.toLocaleString('en-US', o));
// == parts of dates by options
const d = new Date('2026-07-04T15:30:05Z'); for (const o of [{ year: 'numeric', month: 'long', day: 'numeric' }, { month: 'short', day: 'numeric' }, { weekday: 'long' }, { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' }, { year: 'numeric', month: '2-digit', day: '2-digit' }, { month: 'long', year: 'numeric' }, { year: '2-digit', month: 'numeric', day: 'numeric' }, { month: 'short' }, { year: 'numeric' }]) print(d.toLocaleDateString('en-US', o));
// == times by options
const d = new Date('2026-07-04T05:03:09Z'); for (const o of [{ hour: '2-digit', minute: '2-digit' }, { hour: 'numeric', minute: '2-digit', hour12: false }, { hour: 'numeric' }, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }, { hour: 'numeric', minute: 'numeric', timeZone: 'UTC', timeZoneName: 'short' }, { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' }]) print(d.toLocaleTimeString('en-US', o));
// == British, German, French and Swedish dates
const d = new Date('2026-07-04T15:30:05Z'); print(d.toLocaleDateString('en-GB'), '|', d.toLocaleDateString('de-DE'), '|', d.toLocaleDateString('fr-FR'), '|', d.toLocaleDateString('sv-SE'), '|', d.toLocaleDateString('ja-JP'), '|', d.toLocaleDateString('en-CA'), '|', d.toLocaleString('sv-SE'), '|', d.toLocaleTimeString('de-DE'));
// == other time zones
const d = new Date('2026-07-04T23:30:05Z'); print(d.toLocaleString('en-US', { timeZone: 'America/New_York' }), '|', d.toLocaleDateString('en-US', { timeZone: 'Asia/Tokyo' }), '|', d.toLocaleTimeString('en-US', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' })); fails(() => d.toLocaleString('en-US', { timeZone: 'Mars/X' }));
// == weeks, ages and calendars by hand
const week = (d) => { const t = new Date(Date.UTC(d.getFullYear(), d.getMonth(), d.getDate())); t.setUTCDate(t.getUTCDate() + 4 - (t.getUTCDay() || 7)); return Math.ceil(((t - Date.UTC(t.getUTCFullYear(), 0, 1)) / 864e5 + 1) / 7) }; print(week(new Date(2026, 0, 1)), week(new Date(2026, 11, 31)), new Date(2026, 2, 0).getDate());
