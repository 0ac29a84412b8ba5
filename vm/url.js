// URL and URLSearchParams, as the URL standard has them. This is compiled and run
// when a script first names one; own holds what was captured before the script.
(function (own, toASCII) {
  'use strict';
  const { T, define, descriptor, ownKeys, apply, string, number, floor, replace, encode, decode, iterate } = own;

  const ports = { __proto__: null, 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
  const isSpecial = (u) => ports[u.protocol] !== undefined;
  function invalid(input) {
    const e = new T('Invalid URL');
    e.code = 'ERR_INVALID_URL';
    e.input = input;
    throw e;
  }
  // Well-formed text: a lone surrogate becomes the replacement character.
  function usv(v) {
    const text = string(v);
    try { encode(text); return text; } catch {}
    const out = [];
    for (const c of text) out.push(c.length === 1 && c >= '\ud800' && c <= '\udfff' ? '\ufffd' : c);
    return out.join('');
  }
  // Sets of ASCII characters that are percent-encoded, besides the controls.
  const inFragment = ' "<>`', inQuery = ' "#<>', inPath = inQuery + '?`{}', inUser = inPath + '/:;=@[\\]^|';
  const percent = (c) => '%' + (c < '\x10' ? '0' : '') + c.charCodeAt(0).toString(16).toUpperCase();
  function escape(text, set) {
    const out = []; // joining is linear, adding is not
    for (const c of text) out.push(c > '~' ? encode(c) : c < ' ' || set.includes(c) ? percent(c) : c);
    return out.join('');
  }
  // utf8 decodes bytes; what is not valid becomes the replacement character.
  function utf8(bytes) {
    const out = [];
    for (let i = 0; i < bytes.length; i++) {
      const b = bytes[i];
      if (b < 0x80) { out.push(string.fromCharCode(b)); continue; }
      let more = b >= 0xf0 && b < 0xf5 ? 3 : b >= 0xe0 && b < 0xf0 ? 2 : b >= 0xc2 && b < 0xe0 ? 1 : 0;
      let point = more === 0 ? -1 : b & (0x3f >> more);
      for (let k = 0; k < more; k++) {
        const next = bytes[i + 1];
        const low = k === 0 ? (b === 0xe0 ? 0xa0 : b === 0xf0 ? 0x90 : 0x80) : 0x80;
        const high = k === 0 ? (b === 0xed ? 0x9f : b === 0xf4 ? 0x8f : 0xbf) : 0xbf;
        if (!(next >= low && next <= high)) { point = -1; break; }
        point = point * 64 + (next & 0x3f);
        i++;
      }
      out.push(point < 0 ? '\ufffd' : string.fromCodePoint(point));
    }
    return out.join('');
  }
  function unescapeURL(text) {
    if (!text.includes('%')) return text;
    if (!/%([^0-9a-fA-F]|.[^0-9a-fA-F]|.?$)/.test(text)) {
      try { return decode(text); } catch {}
    }
    const bytes = [];
    const plain = escape(text, '');
    for (let i = 0; i < plain.length; i++) {
      const hex = plain.slice(i + 1, i + 3);
      if (plain[i] === '%' && /^[0-9a-fA-F]{2}$/.test(hex)) { bytes.push(parseInt(hex, 16)); i += 2; }
      else bytes.push(plain.charCodeAt(i));
    }
    return utf8(bytes);
  }

  // Hosts. null stands for a host that is no host.
  function v4Number(text) {
    if (text === '') return NaN;
    if (/^0[xX][0-9a-fA-F]*$/.test(text)) return text.length === 2 ? 0 : parseInt(text, 16);
    if (/^0[0-7]+$/.test(text)) return parseInt(text, 8);
    return /^[0-9]+$/.test(text) && !/^0[0-9]/.test(text) ? number(text) : NaN;
  }
  function v4(host) {
    const parts = host.split('.');
    if (parts[parts.length - 1] === '' && parts.length > 1) parts.pop();
    const last = parts[parts.length - 1];
    if (!/^[0-9]+$/.test(last) && !/^0[xX][0-9a-fA-F]*$/.test(last)) return host; // a name
    if (parts.length > 4) return null;
    let value = 0;
    for (let i = 0; i < parts.length; i++) {
      const n = v4Number(parts[i]), final = i === parts.length - 1;
      if (!(n >= 0) || n >= (final ? 256 ** (5 - parts.length) : 256)) return null;
      value += final ? n : n * 256 ** (3 - i);
    }
    return [24, 16, 8, 0].map((shift) => floor(value / 2 ** shift) % 256).join('.');
  }
  function v6(text) {
    const halves = text.split('::');
    if (halves.length > 2) return null;
    const pieces = [];
    for (const half of halves) {
      const list = [];
      const parts = half === '' ? [] : half.split(':');
      for (let i = 0; i < parts.length; i++) {
        const quad = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/.exec(parts[i]);
        if (quad && i === parts.length - 1 && half === halves[halves.length - 1]) {
          const n = quad.slice(1).map(number);
          if (n.some((x) => x > 255)) return null;
          list.push(n[0] * 256 + n[1], n[2] * 256 + n[3]);
        } else if (/^[0-9a-fA-F]{1,4}$/.test(parts[i])) list.push(parseInt(parts[i], 16));
        else return null;
      }
      pieces.push(list);
    }
    const missing = 8 - pieces[0].length - (pieces[1] ? pieces[1].length : 0);
    if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
    const all = pieces[0].slice();
    for (let i = 0; i < missing; i++) all.push(0);
    all.push(...(pieces[1] || []));
    let from = -1, most = 1;
    for (let i = 0; i < 8; i++) {
      let n = 0;
      while (i + n < 8 && all[i + n] === 0) n++;
      if (n > most) { from = i; most = n; }
    }
    const hex = (list) => list.map((n) => n.toString(16)).join(':');
    return from < 0 ? hex(all) : hex(all.slice(0, from)) + '::' + hex(all.slice(from + most));
  }
  function hostOf(text, special) {
    if (text[0] === '[') {
      const inner = text[text.length - 1] === ']' ? v6(text.slice(1, -1)) : null;
      return inner === null ? null : '[' + inner + ']';
    }
    if (!special) return /[\0\t\n\r #/:<>?@[\\\]^|]/.test(text) ? null : escape(text, '');
    let name = unescapeURL(text);
    if (/[^\0-\x7f]/.test(name)) name = name.normalize('NFKC').replace(/[\u00ad\u200b\u2060\ufeff]/g, '');
    if (/[^\0-\x7f]/.test(name) || /xn--/i.test(name)) name = toASCII(name);
    if (name === null) return null;
    name = name.toLowerCase();
    if (name === '' || /[\0-\x20#%/:<>?@[\\\]^|\x7f]/.test(name)) return null;
    return v4(name);
  }

  // Paths.
  const isDrive = (text) => /^[a-zA-Z][:|]$/.test(text);
  const startsWithDrive = (text) => /^[a-zA-Z][:|]([/\\?#]|$)/.test(text);
  function shorten(u) {
    if (u.protocol === 'file:' && u.path.length === 1 && /^[a-zA-Z]:$/.test(u.path[0])) return;
    u.path.pop();
  }
  function walk(u, text) {
    const special = isSpecial(u);
    if (special ? /^[/\\]/.test(text) : text[0] === '/') text = text.slice(1);
    const parts = text.split(special ? /[/\\]/ : '/');
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i], last = i === parts.length - 1, dots = part.length > 6 ? part : part.toLowerCase().split('%2e').join('.');
      if (dots === '..') {
        shorten(u);
        if (last) u.path.push('');
      } else if (dots === '.') {
        if (last) u.path.push('');
      } else if (u.protocol === 'file:' && u.path.length === 0 && isDrive(part)) u.path.push(part[0] + ':');
      else u.path.push(escape(part, inPath));
    }
  }

  // authority reads user, password, host and port, and reports whether it could.
  function authority(u, text) {
    const at = text.lastIndexOf('@');
    if (at >= 0) {
      const user = text.slice(0, at), colon = user.indexOf(':');
      u.username = escape(colon < 0 ? user : user.slice(0, colon), inUser);
      u.password = colon < 0 ? '' : escape(user.slice(colon + 1), inUser);
      if (at === text.length - 1) return false;
    }
    return hostAndPort(u, text.slice(at + 1), at >= 0);
  }
  function hostAndPort(u, text, strict) {
    const parts = /^(\[[^\]]*\]|[^:[]*|[^:]*)(?::(.*))?$/.exec(text);
    if (parts === null) return false;
    const special = isSpecial(u), name = parts[1], port = parts[2];
    if (name === '') {
      if (special || strict || port !== undefined) return false;
      u.host = '';
      return true;
    }
    const host = hostOf(name, special);
    if (host === null || port !== undefined && (!/^[0-9]*$/.test(port) || number(port) > 65535)) return false;
    u.host = host;
    u.port = port === undefined || port === '' ? '' : string(number(port));
    if (u.port === ports[u.protocol]) u.port = '';
    return true;
  }
  function authorityAndPath(u, text) {
    const end = text.search(isSpecial(u) ? /[/\\]/ : /\//);
    if (!authority(u, end < 0 ? text : text.slice(0, end))) return false;
    if (end >= 0 || isSpecial(u)) walk(u, end < 0 ? '' : text.slice(end));
    return true;
  }
  function inherit(u, base) {
    for (const key of ['username', 'password', 'host', 'port']) u[key] = base[key];
  }
  function file(u, text, base) {
    u.host = '';
    const fileBase = base !== null && base.protocol === 'file:' ? base : null;
    if (/^[/\\]{2}/.test(text)) {
      const rest = text.slice(2), end = rest.search(/[/\\]/), name = end < 0 ? rest : rest.slice(0, end);
      if (isDrive(name)) walk(u, rest);
      else {
        const host = name === '' ? '' : hostOf(name, true);
        if (host === null) return false;
        u.host = host === 'localhost' ? '' : host;
        walk(u, end < 0 ? '' : rest.slice(end));
      }
    } else if (/^[/\\]/.test(text)) {
      if (fileBase !== null) {
        u.host = fileBase.host;
        if (!startsWithDrive(text.slice(1)) && /^[a-zA-Z]:$/.test(fileBase.path[0] || '')) u.path.push(fileBase.path[0]);
      }
      walk(u, text);
    } else if (fileBase !== null) {
      u.host = fileBase.host;
      relativePath(u, text, fileBase, startsWithDrive(text));
    } else walk(u, text);
    return true;
  }
  function relativePath(u, text, base, fresh) {
    u.path = fresh ? [] : base.path.slice();
    if (text === '') {
      if (u.query === null) u.query = base.query;
      return;
    }
    if (!fresh) shorten(u);
    walk(u, text);
  }
  function relative(u, text, base) {
    const special = isSpecial(u);
    if (special ? /^[/\\]{2}/.test(text) : text.startsWith('//')) {
      return authorityAndPath(u, special ? text.replace(/^[/\\]+/, '') : text.slice(2));
    }
    inherit(u, base);
    if (special ? /^[/\\]/.test(text) : text[0] === '/') walk(u, text);
    else relativePath(u, text, base, false);
    return true;
  }
  // parse gives the record of a URL, or null.
  function parse(input, base) {
    let text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
    const u = { protocol: '', username: '', password: '', host: null, port: '', path: [], query: null, fragment: null };
    const hash = text.indexOf('#');
    if (hash >= 0) {
      u.fragment = escape(text.slice(hash + 1), inFragment);
      text = text.slice(0, hash);
    }
    const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text);
    u.protocol = scheme !== null ? scheme[0].toLowerCase() : base === null ? '' : base.protocol;
    if (scheme === null && base === null) return null;
    let rest = scheme === null ? text : text.slice(scheme[0].length);
    const mark = rest.indexOf('?');
    if (mark >= 0) {
      u.query = escape(rest.slice(mark + 1), isSpecial(u) ? inQuery + "'" : inQuery);
      rest = rest.slice(0, mark);
    }
    if (scheme === null && typeof base.path === 'string') {
      if (rest !== '' || mark >= 0 || hash < 0) return null;
      u.path = base.path;
      u.query = base.query;
      return u;
    }
    let ok = true;
    if (u.protocol === 'file:') ok = file(u, rest, base);
    else if (scheme === null) ok = relative(u, rest, base);
    else if (isSpecial(u)) {
      if (base !== null && base.protocol === u.protocol && !rest.startsWith('//')) ok = relative(u, rest, base);
      else ok = authorityAndPath(u, rest.replace(/^[/\\]+/, ''));
    } else if (rest.startsWith('//')) ok = authorityAndPath(u, rest.slice(2));
    else if (rest[0] === '/') walk(u, rest);
    else u.path = escape(rest, '');
    return ok ? u : null;
  }
  const pathname = (u) => (typeof u.path === 'string' ? u.path : u.path.length === 0 ? '' : '/' + u.path.join('/'));
  const hostText = (u) => (u.host === null ? '' : u.host + (u.port === '' ? '' : ':' + u.port));
  function href(u) {
    let out = u.protocol;
    if (u.host !== null) {
      out += '//';
      if (u.username !== '' || u.password !== '') out += u.username + (u.password === '' ? '' : ':' + u.password) + '@';
      out += hostText(u);
    } else if (typeof u.path !== 'string' && u.path.length > 1 && u.path[0] === '') out += '/.';
    return out + pathname(u) + (u.query === null ? '' : '?' + u.query) + (u.fragment === null ? '' : '#' + u.fragment);
  }
  const hasNoUser = (u) => u.host === null || u.host === '' || u.protocol === 'file:';

  // Lists of names and values.
  function fromQuery(text) {
    const list = [];
    for (const part of text.split('&')) {
      if (part === '') continue;
      const plain = part.replace(/\+/g, ' '), eq = plain.indexOf('=');
      list.push(eq < 0 ? [unescapeURL(plain), ''] : [unescapeURL(plain.slice(0, eq)), unescapeURL(plain.slice(eq + 1))]);
    }
    return list;
  }
  const component = (text) =>
    encode(text).replace(/%20/g, '+').replace(/[!'()~]/g, percent);
  const toQuery = (list) => list.map((pair) => component(pair[0]) + '=' + component(pair[1])).join('&');
  function pairOf(pair) {
    if (pair === null || typeof pair !== 'object' || typeof pair[iterate] !== 'function') {
      throw new T('Each query pair must be an iterable [name, value] tuple');
    }
    const list = [...pair];
    if (list.length !== 2) throw new T('Each query pair must be an iterable [name, value] tuple');
    return [usv(list[0]), usv(list[1])];
  }
  function listOf(init) {
    if (init === undefined || init === null) return [];
    if (typeof init !== 'object' && typeof init !== 'function') {
      const text = usv(init);
      return fromQuery(text[0] === '?' ? text.slice(1) : text);
    }
    const method = init[iterate];
    if (method !== undefined && method !== null) {
      if (typeof method !== 'function') throw new T('Query pairs must be iterable');
      return [...init].map(pairOf);
    }
    const list = new Map();
    for (const key of ownKeys(init)) {
      const own = descriptor(init, key);
      if (own !== undefined && own.enumerable) list.set(usv(key), usv(init[key]));
    }
    return [...list];
  }
  function need(list, n) {
    if (list.length >= n) return;
    throw new T(n === 1 ? 'The "name" argument must be specified' : 'The "name" and "value" arguments must be specified');
  }

  let bind; // makes the list of a URL, which keeps its query
  class URLSearchParams {
    #list;
    #changed = () => {};
    constructor(init) { this.#list = listOf(init); }
    static {
      bind = (list, changed) => {
        const p = new URLSearchParams();
        p.#list = list;
        p.#changed = changed;
        return [p, (fresh) => { p.#list = fresh; }];
      };
    }
    get size() { return this.#list.length; }
    append(...args) {
      need(args, 2);
      this.#list.push([usv(args[0]), usv(args[1])]);
      this.#changed(this.#list);
    }
    delete(...args) {
      need(args, 1);
      const name = usv(args[0]), value = args[1] === undefined ? undefined : usv(args[1]);
      this.#list = this.#list.filter((p) => p[0] !== name || value !== undefined && p[1] !== value);
      this.#changed(this.#list);
    }
    get(...args) {
      need(args, 1);
      const name = usv(args[0]), pair = this.#list.find((p) => p[0] === name);
      return pair === undefined ? null : pair[1];
    }
    getAll(...args) {
      need(args, 1);
      const name = usv(args[0]);
      return this.#list.filter((p) => p[0] === name).map((p) => p[1]);
    }
    has(...args) {
      need(args, 1);
      const name = usv(args[0]), value = args[1] === undefined ? undefined : usv(args[1]);
      return this.#list.some((p) => p[0] === name && (value === undefined || p[1] === value));
    }
    set(...args) {
      need(args, 2);
      const name = usv(args[0]), value = usv(args[1]);
      let found = false;
      this.#list = this.#list.filter((p) => {
        if (p[0] !== name) return true;
        if (found) return false;
        found = true;
        p[1] = value;
        return true;
      });
      if (!found) this.#list.push([name, value]);
      this.#changed(this.#list);
    }
    sort() {
      this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#changed(this.#list);
    }
    forEach(callback, self) {
      if (typeof callback !== 'function') throw new T('The "callback" argument must be of type function.');
      for (let i = 0; i < this.#list.length; i++) apply(callback, self, [this.#list[i][1], this.#list[i][0], this]);
    }
    *entries() { for (let i = 0; i < this.#list.length; i++) yield [this.#list[i][0], this.#list[i][1]]; }
    *keys() { for (let i = 0; i < this.#list.length; i++) yield this.#list[i][0]; }
    *values() { for (let i = 0; i < this.#list.length; i++) yield this.#list[i][1]; }
    toString() { return toQuery(this.#list); }
  }
  replace(URLSearchParams.prototype, iterate, URLSearchParams.prototype.entries);

  function parsed(input, base) {
    const from = base === undefined ? null : parse(usv(base), null);
    return base !== undefined && from === null ? null : parse(usv(input), from);
  }
  class URL {
    #u;
    #params = null;
    #refresh = null;
    constructor(input, base = undefined) {
      if (arguments.length === 0) throw new T('The "url" argument must be specified');
      const u = parsed(input, base);
      if (u === null) invalid(string(input));
      this.#u = u;
    }
    static canParse(input, base = undefined) {
      if (arguments.length === 0) throw new T('The "url" argument must be specified');
      return parsed(input, base) !== null;
    }
    static parse(input, base) {
      try { return new URL(input, base); } catch (e) { if (e.code === 'ERR_INVALID_URL') return null; throw e; }
    }
    get href() { return href(this.#u); }
    set href(value) {
      const u = parse(usv(value), null);
      if (u === null) invalid(string(value));
      this.#u = u;
      this.#queryChanged();
    }
    get origin() {
      const u = this.#u;
      if (u.protocol === 'blob:') {
        const inner = parse(pathname(u), null);
        return inner !== null && /^https?:$/.test(inner.protocol) ? inner.protocol + '//' + hostText(inner) : 'null';
      }
      return isSpecial(u) && u.protocol !== 'file:' ? u.protocol + '//' + hostText(u) : 'null';
    }
    get protocol() { return this.#u.protocol; }
    set protocol(value) {
      const u = this.#u, scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:|$)/.exec(usv(value).replace(/[\t\n\r]/g, ''));
      if (scheme === null) return;
      const next = scheme[0].toLowerCase() + ':';
      if ((ports[next] !== undefined) !== isSpecial(u)) return;
      if (next === 'file:' && (u.username !== '' || u.password !== '' || u.port !== '')) return;
      if (u.protocol === 'file:' && u.host === '') return;
      u.protocol = next;
      if (u.port === ports[next]) u.port = '';
    }
    get username() { return this.#u.username; }
    set username(value) { if (!hasNoUser(this.#u)) this.#u.username = escape(usv(value), inUser); }
    get password() { return this.#u.password; }
    set password(value) { if (!hasNoUser(this.#u)) this.#u.password = escape(usv(value), inUser); }
    get host() { return hostText(this.#u); }
    set host(value) { this.#setHost(usv(value), true); }
    get hostname() { return this.#u.host === null ? '' : this.#u.host; }
    set hostname(value) { this.#setHost(usv(value), false); }
    #setHost(value, withPort) {
      const u = this.#u, special = isSpecial(u);
      if (typeof u.path === 'string') return;
      let text = value.replace(/[\t\n\r]/g, '').split(special ? /[/\\?#]/ : /[/?#]/)[0];
      const parts = /^(\[[^\]]*\]|[^:]*)(:[0-9]*)?/.exec(text);
      if (u.protocol === 'file:') {
        const host = text === '' ? '' : hostOf(text, true);
        if (host !== null) u.host = host === 'localhost' ? '' : host;
        return;
      }
      if (parts[0].length < text.length && !parts[2] || !withPort && parts[2] !== undefined) return;
      if (parts[1] === '' && (special || parts[2] !== undefined || u.username !== '' || u.password !== '' || u.port !== '')) return;
      const host = parts[1] === '' ? '' : hostOf(parts[1], special);
      if (host === null) return;
      u.host = host;
      if (parts[2] !== undefined && parts[2].length > 1) this.#setPort(parts[2].slice(1));
    }
    get port() { return this.#u.port; }
    set port(value) {
      if (hasNoUser(this.#u)) return;
      const text = usv(value).replace(/[\t\n\r]/g, '');
      if (text === '') this.#u.port = '';
      else this.#setPort(text);
    }
    #setPort(text) {
      const digits = /^[0-9]+/.exec(text);
      if (digits === null || number(digits[0]) > 65535) return;
      const port = string(number(digits[0]));
      this.#u.port = port === ports[this.#u.protocol] ? '' : port;
    }
    get pathname() { return pathname(this.#u); }
    set pathname(value) {
      const u = this.#u, text = usv(value).replace(/[\t\n\r]/g, '');
      if (typeof u.path === 'string') return;
      u.path = [];
      if (text !== '' || isSpecial(u)) walk(u, text);
    }
    get search() { return this.#u.query === null || this.#u.query === '' ? '' : '?' + this.#u.query; }
    set search(value) {
      let text = usv(value).replace(/[\t\n\r]/g, '');
      if (text[0] === '?') text = text.slice(1);
      else if (text === '') text = null;
      this.#u.query = text === null ? null : escape(text, isSpecial(this.#u) ? inQuery + "'" : inQuery);
      this.#queryChanged();
    }
    get searchParams() {
      if (this.#params === null) {
        [this.#params, this.#refresh] = bind(fromQuery(this.#u.query || ''), (list) => {
          this.#u.query = list.length === 0 ? null : toQuery(list);
        });
      }
      return this.#params;
    }
    #queryChanged() { if (this.#refresh !== null) this.#refresh(fromQuery(this.#u.query || '')); }
    get hash() { return this.#u.fragment === null || this.#u.fragment === '' ? '' : '#' + this.#u.fragment; }
    set hash(value) {
      let text = usv(value).replace(/[\t\n\r]/g, '');
      if (text[0] === '#') text = text.slice(1);
      else if (text === '') text = null;
      this.#u.fragment = text === null ? null : escape(text, inFragment);
    }
    toString() { return href(this.#u); }
    toJSON() { return href(this.#u); }
  }
  for (const [Class, tag] of [[URL, 'URL'], [URLSearchParams, 'URLSearchParams']]) {
    define(Class.prototype, Symbol.toStringTag, { __proto__: null, value: tag, configurable: true });
    const keys = ownKeys(Class.prototype);
    for (const key of keys) {
      if (typeof key === 'string' && key !== 'constructor') define(Class.prototype, key, { __proto__: null, enumerable: true });
    }
  }
  return { __proto__: null, URL, URLSearchParams };
})
