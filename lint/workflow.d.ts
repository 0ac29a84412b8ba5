// What a script of dsh-workflow finds declared. `dsh-workflow types` prints this
// file, so that editors complete and check scripts:
//
//   dsh-workflow types > workflow.d.ts
//
// and beside it a jsconfig.json:
//
//   { "compilerOptions": { "checkJs": true, "lib": ["ES2023"], "types": [], "noEmit": true }, "include": ["*.js", "*.d.ts"] }
//
// A script is the body of an async function. TypeScript takes it for a module, so
// it marks `return` at the outermost level (1108); everything else is checked.

/**
 * Starts an agent and waits for its answer: the text of its last message, or null
 * when it ran and failed.
 */
declare function agent(prompt: string, options?: AgentOptions & { schema?: undefined }): Promise<string | null>;
/**
 * Starts an agent that must answer with a value of the schema: the value, or null
 * when it ran and failed. Written with `as const`, or in the call itself, the schema
 * gives the type of the answer.
 */
declare function agent<const S extends JSONSchema>(prompt: string, options: AgentOptions & { schema: S }): Promise<FromSchema<S> | null>;

declare namespace agent {
  /** The same, but a failure has a reason, and nothing is null. */
  function settled(prompt: string, options?: AgentOptions & { schema?: undefined }): Promise<Settled<string>>;
  function settled<const S extends JSONSchema>(prompt: string, options: AgentOptions & { schema: S }): Promise<Settled<FromSchema<S>>>;
}

interface AgentOptions {
  /** Names the agent for people; the beginning of the prompt by default. */
  label?: string;
  /** Puts it into a phase, whatever the current one is: needed inside of stages and thunks. */
  phase?: string;
  /** The answer is data that fits it. Its root is an object. */
  schema?: JSONSchema;
  /** The model; the run's by default. */
  model?: string;
  /** The provider of the model. */
  provider?: string;
  /** How hard the model thinks. */
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  /** A git worktree of its own. */
  isolation?: 'worktree';
  /** A named definition: its prompt, tools and model. */
  agentType?: string;
  /** The longest silence of the model, in milliseconds; 180 000 by default. */
  stallMs?: number;
  /** Wall time of the whole call with all attempts, in milliseconds. */
  timeoutMs?: number;
  /** More attempts after a timeout, transport or server failure; 0 by default. */
  retries?: number;
  /** Narrows the tools that it may use. */
  tools?: readonly string[];
  /** A folder inside the run's. */
  cwd?: string;
}

type Settled<T> =
  | { status: 'completed'; value: T; error: null; usage: Usage; sessionId: string }
  | { status: 'failed' | 'cancelled'; value: null; error: { code: string; message: string }; usage: Usage; sessionId: string };

interface Usage {
  /** Cached ones included. */
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** null when a price is unknown. */
  costUsd: number | null;
}

/**
 * Calls all functions at once and waits for all. The results stand in the order of
 * the functions; one that throws gives null.
 */
declare function parallel<const F extends readonly (() => unknown)[]>(thunks: F): Promise<{ -readonly [I in keyof F]: Awaited<ReturnType<F[I]>> | null }>;

/**
 * Sends each item through all stages on its own. A stage that throws, or gives
 * exactly null, ends its item, which is null in the result.
 */
declare function pipeline<T, A>(items: readonly T[], first: Stage<T, T, A>): Promise<(Awaited<A> | null)[]>;
declare function pipeline<T, A, B>(items: readonly T[], first: Stage<T, T, A>, second: Stage<Passed<A>, T, B>): Promise<(Awaited<B> | null)[]>;
declare function pipeline<T, A, B, C>(items: readonly T[], first: Stage<T, T, A>, second: Stage<Passed<A>, T, B>, third: Stage<Passed<B>, T, C>): Promise<(Awaited<C> | null)[]>;
declare function pipeline<T, A, B, C, D>(items: readonly T[], first: Stage<T, T, A>, second: Stage<Passed<A>, T, B>, third: Stage<Passed<B>, T, C>, fourth: Stage<Passed<C>, T, D>): Promise<(Awaited<D> | null)[]>;
declare function pipeline<T>(items: readonly T[], ...stages: Stage<any, T, any>[]): Promise<any[]>;

/** One step of pipeline(); the first one is given the item as previous too. */
type Stage<P, T, R> = (previous: P, item: T, index: number) => R;
/** What a stage is given: null has ended the item. */
type Passed<A> = Exclude<Awaited<A>, null>;

/** Runs another workflow, by its name or its file, and gives what it returns. One level deep. */
declare function workflow(nameOrRef: string | { scriptPath: string }, args?: unknown): Promise<any>;

/** Enters a phase; agents that name none belong to it from here on. */
declare function phase(title: string): void;

/** Writes a line to the log of the run. */
declare function log(message: string, ...more: unknown[]): void;

/** What the run was given: --args, or undefined. */
declare const args: any;

/** Tokens of output. */
declare const budget: {
  /** null without a target. */
  readonly total: number | null;
  /** By the agents whose answers the script has. */
  spent(): number;
  /** Infinity without a target. */
  remaining(): number;
};

interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}
/** Goes to the log of the run. */
declare var console: Console;

declare function setTimeout(callback: (...values: any[]) => void, delay?: number, ...values: any[]): number;
declare function clearTimeout(id: number | undefined): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
  toJSON(): string;
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, string> | Iterable<[string, string]>);
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, key: string, all: URLSearchParams) => void): void;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  entries(): IterableIterator<[string, string]>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

interface Math {
  /** @deprecated It throws in a workflow, because a run must be repeatable: vary prompts by an index instead. */
  random(): never;
}

interface DateConstructor {
  /** @deprecated It throws in a workflow, because a run must be repeatable: pass the time in through args. */
  now(): never;
}

/** JSON Schema 2020-12, as far as an agent can be held to it. */
interface JSONSchema {
  readonly type?: JSONType | readonly JSONType[] | string | readonly string[];
  readonly properties?: { readonly [name: string]: JSONSchema | boolean };
  readonly required?: readonly string[];
  readonly items?: JSONSchema | boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly additionalProperties?: JSONSchema | boolean;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}
type JSONType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/** The type of what fits a schema; any where the schema does not tell. */
type FromSchema<S> =
  S extends { readonly const: infer C } ? C
  : S extends { readonly enum: readonly (infer E)[] } ? E
  : S extends { readonly type: infer T }
    ? T extends readonly (infer U)[] ? FromType<U, S> : FromType<T, S>
    : any;
type FromType<T, S> =
  T extends unknown
    ? string extends T ? any
    : T extends 'object' ? FromObject<S>
    : T extends 'array' ? (S extends { readonly items: infer I } ? FromSchema<I>[] : any[])
    : T extends 'string' ? string
    : T extends 'number' | 'integer' ? number
    : T extends 'boolean' ? boolean
    : T extends 'null' ? null
    : any
  : never;
type FromObject<S> =
  S extends { readonly properties: infer P }
    ? { [K in keyof P as K extends RequiredNames<S> ? K : never]: FromSchema<P[K]> } & { [K in keyof P as K extends RequiredNames<S> ? never : K]?: FromSchema<P[K]> }
    : Record<string, any>;
type RequiredNames<S> = S extends { readonly required: readonly (infer N)[] } ? N : never;
