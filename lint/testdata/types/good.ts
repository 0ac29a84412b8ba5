// What must compile, with the types that it must have. Nothing of it runs.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(yes: Same<A, B>): void;

const FINDINGS = {
  type: 'object',
  required: ['findings'],
  properties: {
    findings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['file', 'severity', 'line'],
        properties: { file: { type: 'string' }, line: { type: ['integer', 'null'] }, severity: { enum: ['low', 'high'] }, fixed: { type: 'boolean' } },
      },
    },
  },
} as const;

async function body() {
  const text = await agent('Describe it.', { label: 'x', effort: 'max', tools: ['read'], isolation: 'worktree' });
  same<typeof text, string | null>(true);

  const found = await agent('Find faults.', { schema: FINDINGS });
  if (found === null) return null;
  const one = found.findings[0]!;
  same<typeof one.file, string>(true);
  same<typeof one.line, number | null>(true);
  same<typeof one.severity, 'low' | 'high'>(true);
  same<typeof one.fixed, boolean | undefined>(true);

  const inline = await agent('Count.', { schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } });
  const n: number | undefined = inline?.n;

  const LOOSE = { type: 'object', properties: { a: { type: 'string' } } };
  const loose = await agent('Anything.', { schema: LOOSE });
  loose?.whatever.you.like;

  const settled = await agent.settled('Run the tests.', { timeoutMs: 1000, retries: 1 });
  if (settled.status === 'completed') same<typeof settled.value, string>(true);
  else same<typeof settled.error.code, string>(true);
  const cost: number | null = settled.usage.costUsd;

  const pair = await parallel([() => agent('a'), async () => 1]);
  same<(typeof pair)[0], string | null>(true);
  same<(typeof pair)[1], number | null>(true);
  const many = await parallel(['a', 'b'].map((x) => () => agent(x)));
  same<typeof many, (string | null)[]>(true);

  const passed = await pipeline(
    ['a', 'b'],
    (file) => agent(`Read ${file}.`, { schema: FINDINGS }),
    (review, file, index) => {
      same<typeof file, string>(true);
      same<typeof index, number>(true);
      return review.findings.length;
    },
  );
  same<typeof passed, (number | null)[]>(true);

  phase('Report');
  log('x', 1);
  console.warn('x');
  if (budget.total !== null && budget.remaining() < budget.spent()) return budget.total;
  const id = setTimeout(() => {}, 10);
  clearTimeout(id);
  queueMicrotask(() => {});
  const copy = structuredClone({ a: 1 });
  same<typeof copy, { a: number }>(true);
  const u = new URL('https://example.com/?a=1');
  for (const [key, value] of u.searchParams) log(`${key} ${value}`);
  const child = await workflow('other', { a: 1 });
  return [n, cost, child.x, args?.y, await workflow({ scriptPath: 'x.js' })];
}
void body;
