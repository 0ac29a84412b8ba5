// The hooks as the script sees them. Everything that the combinators need is
// captured here, before the script runs and may overwrite it. Neither Promise.all
// nor .then is used: await of a native promise cannot be redirected by a script.
(function (host, total) {
  'use strict';
  const P = Promise, E = Error, O = Object, string = String, number = Number;
  const isArray = Array.isArray, define = Object.defineProperty, freeze = Object.freeze;
  const infinity = Infinity;

  const setHidden = (object, key, value) =>
    define(object, key, { __proto__: null, value, writable: true, configurable: true, enumerable: false });

  // mint makes the one kind of error that escapes parallel() and pipeline(). The
  // host keeps its identity; the fields are only for reading.
  const mint = (message, code, stack) => {
    const e = new E(message);
    setHidden(e, 'name', 'WorkflowError');
    setHidden(e, 'stack', stack);
    e.code = code;
    e.fatal = true;
    return e;
  };

  // render never throws. What it calls in the thrown value is script code, inside
  // the bound of the stretch at hand.
  const render = (v) => {
    try {
      if (typeof v === 'function' || (typeof v === 'object' && v !== null)) {
        const stack = v.stack;
        if (typeof stack === 'string' && stack !== '') return stack;
        const message = v.message;
        if (typeof message === 'string' && message !== '') return message;
      }
      return string(v);
    } catch {
      return '[unrenderable thrown value]';
    }
  };

  const agent = (prompt, options) =>
    new P((resolve, reject) => host.agent(prompt, options, false, resolve, reject));
  const settled = (prompt, options) =>
    new P((resolve, reject) => host.agent(prompt, options, true, resolve, reject));
  setHidden(agent, 'settled', settled);

  // collect runs one step for every slot at once and waits for all of them. An
  // ordinary throw empties its slot, a fatal one rejects the whole.
  const collect = (n, step, lost, resolve, reject) => {
    const out = [];
    for (let i = 0; i < n; i++) out[i] = null;
    let left = n;
    const slot = async (i) => {
      try {
        out[i] = await step(i);
      } catch (e) {
        if (host.fatal(e)) {
          reject(e);
          return;
        }
        host.dropped(lost(i), render(host.seen(e)));
      }
      left--;
      if (left === 0) resolve(out);
    };
    if (n === 0) resolve(out);
    for (let i = 0; i < n; i++) slot(i);
  };

  // copy reads the list once, so that nothing can change under a running call.
  const copy = (hook, list, want) => {
    if (!isArray(list)) host.refuse(hook, hook + '() requires ' + want + ', but received ' + host.describe(list), false);
    const n = list.length, out = [];
    host.count(hook, n);
    for (let i = 0; i < n; i++) out[i] = list[i];
    return out;
  };

  const demandFunctions = (hook, what, list) => {
    let faults = '', more = 0;
    for (let i = 0; i < list.length; i++) {
      if (typeof list[i] === 'function') continue;
      if (more++ < 5) faults += (faults ? '; ' : '') + hook + '() ' + what + ' ' + i + ' is not a function: ' + host.whyNot(list[i]);
    }
    if (more > 5) faults += '; and ' + (more - 5) + ' more';
    if (more > 0) host.refuse(hook, faults, false);
  };

  const parallel = (thunks) => new P((resolve, reject) => {
    const list = copy('parallel', thunks, 'an array of zero-argument functions');
    demandFunctions('parallel', 'item', list);
    const step = (i) => { const thunk = list[i]; return thunk(); };
    collect(list.length, step, (i) => 'parallel() item ' + i + ' became null', resolve, reject);
  });

  const pipeline = (items, ...stages) => new P((resolve, reject) => {
    const list = copy('pipeline', items, 'an items array');
    if (stages.length === 0) host.refuse('pipeline', 'pipeline() requires at least one stage function', false);
    demandFunctions('pipeline', 'stage', stages);
    const reached = [];
    const step = async (i) => {
      let value = list[i];
      for (let s = 0; s < stages.length; s++) {
        reached[i] = s;
        const stage = stages[s];
        value = await stage(value, list[i], i);
        if (value !== null) continue;
        host.ended('pipeline() item ' + i + ' ended: stage ' + s + ' returned null');
        return null;
      }
      return value;
    };
    collect(list.length, step, (i) => 'pipeline() item ' + i + ' became null in stage ' + reached[i], resolve, reject);
  });

  const workflow = () => new P(() => host.refuse('workflow',
    'workflow() is not supported by this version: nested workflows come later', false));
  const phase = (title) => { host.phase(title); };
  const log = (message, ...more) => { host.log(message, render, more); };

  const spent = () => host.spent();
  const remaining = () => {
    if (total === null) return infinity;
    const left = total - host.spent();
    return left > 0 ? left : 0;
  };
  const budget = { total, spent: freeze(spent), remaining: freeze(remaining) };

  const console = {};
  const speak = (name, level) => {
    console[name] = { [name](...values) { host.console(level, values, render); } }[name];
  };
  speak('log', 'info');
  speak('info', 'info');
  speak('debug', 'info');
  speak('warn', 'warn');
  speak('error', 'error');

  const soon = (f) => { (async () => { await undefined; f(); })(); };
  const callable = (hook, f) => {
    if (typeof f !== 'function') throw new TypeError(hook + '() requires a function, but received ' + host.describe(f));
  };
  const setTimeout = (callback, delay, ...rest) => {
    callable('setTimeout', callback);
    return host.after(number(delay), () => callback(...rest));
  };
  const clearTimeout = (id) => { host.clear(id); };
  const queueMicrotask = (callback) => {
    callable('queueMicrotask', callback);
    soon(callback);
  };

  const expose = (name, value) =>
    define(globalThis, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
  freeze(settled);
  const hooks = { agent, parallel, pipeline, workflow, phase, log, setTimeout, clearTimeout, queueMicrotask };
  for (const name in hooks) expose(name, freeze(hooks[name]));
  expose('budget', freeze(budget));
  expose('console', console);

  // These cost more to make than most scripts to run.
  const lazy = (name) => define(globalThis, name, {
    __proto__: null, configurable: true, enumerable: false,
    get() { const value = host.late(name); setHidden(globalThis, name, value); return value; },
    set(value) { setHidden(globalThis, name, value); },
  });
  lazy('URL');
  lazy('URLSearchParams');
  lazy('structuredClone');

  return { __proto__: null, mint, render, expose, soon, parse: JSON.parse, descriptor: O.getOwnPropertyDescriptor };
})
