// == parts of a URL
const u = new URL('https://user:pa%20ss@Example.com:8080/a/b/../c?q=1&q=2#frag'); print(u.href, u.protocol, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, u.origin, u.username, u.password, String(u) === u.href, JSON.stringify(u));
// == relative URLs
for (const [r, b] of [['../x', 'http://h/a/b/c'], ['?q', 'http://h/a'], ['#f', 'http://h/a?b'], ['//o/p', 'https://h/'], ['/abs', 'http://h:81/x'], ['', 'http://h/a?b#c'], ['x y', 'http://h/']]) print(new URL(r, b).href);
// == what is no URL
fails(() => new URL('nope')); fails(() => new URL('/rel')); fails(() => new URL('http://')); fails(() => new URL('http://a b/')); print(URL.canParse('http://x'), URL.canParse('x'), URL.canParse('x', 'http://h'), URL.parse?.('x') ?? null);
// == setting parts
const u = new URL('http://h/p'); u.port = '81'; u.pathname = 'a b'; u.search = 'x=é'; u.hash = 'z'; u.protocol = 'https'; u.hostname = 'other'; print(u.href); u.port = '443'; u.host = 'q:9'; print(u.href);
// == search parameters
const p = new URLSearchParams('?a=1&b=two+words&a=3&c'); p.append('d', 'é&='); p.set('b', 'x'); p.delete('c'); print(p.get('a'), p.getAll('a'), p.has('z'), String(p), [...p], p.size, [...p.keys()]); p.sort(); print(String(p));
// == parameters from objects and lists
print(String(new URLSearchParams({ q: 'a b', n: 5 })), String(new URLSearchParams([['x', '1'], ['x', '2']])), String(new URLSearchParams(new Map([['m', 'v']]))), new URLSearchParams('a=%41%zz').get('a'), Object.fromEntries(new URLSearchParams('k=v&l=w')));
// == parameters of a URL write through
const u = new URL('http://h/?a=1'); u.searchParams.append('b', '2'); print(u.href); u.searchParams.delete('a'); print(u.search); u.search = '?z=9'; print(u.searchParams.get('z'));
// == domain names are lower case and normalised
print(new URL('HTTP://EXAMPLE.com/%7Efoo/').href, new URL('http://h:80/').host, new URL('https://h:443/').port, new URL('http://1.2.3/').hostname, new URL('http://[::1]:3/x').host, new URL('file:///a/b').pathname, new URL('mailto:x@y.z').pathname, new URL('data:text/plain,hi').protocol);
// == deduplicating links
const norm = (s) => { try { const u = new URL(s); u.hash = ''; u.searchParams.sort(); return u.href.replace(/\/$/, '') } catch { return s } }; print([...new Set(['http://A.com/', 'http://a.com', 'http://a.com/#x', 'bad', 'http://a.com/?b=1&a=2', 'http://a.com/?a=2&b=1'].map(norm))]);
// == forEach and iteration of parameters
const out = []; new URLSearchParams('a=1&b=2').forEach((v, k) => out.push(k + v)); for (const [k, v] of new URLSearchParams('x=y')) out.push(k, v); print(out, Object.prototype.toString.call(new URLSearchParams()), Object.prototype.toString.call(new URL('http://x')));
