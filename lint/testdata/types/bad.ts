// What must not compile: each line below a mark is an error.
async function body() {
  // @ts-expect-error a prompt is a text
  await agent({ prompt: 'x' });
  // @ts-expect-error a misspelt option
  await agent('x', { lable: 'x' });
  // @ts-expect-error no such effort
  await agent('x', { effort: 'huge' });
  // @ts-expect-error no such isolation
  await agent('x', { isolation: 'remote' });
  // @ts-expect-error a result may be null
  (await agent('x')).length;
  const r = await agent('x', { schema: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } } });
  // @ts-expect-error no such field
  r?.b;
  // @ts-expect-error promises instead of functions
  await parallel([agent('x')]);
  // @ts-expect-error promises instead of functions
  await parallel(['a'].map((x) => agent(x)));
  // @ts-expect-error slots may be null
  (await parallel([() => agent('x')])).map((t) => t.length);
  // @ts-expect-error a list of items
  await pipeline('abc', (x) => x);
  // @ts-expect-error the value may not be there
  (await agent.settled('x')).value.length;
  // @ts-expect-error no such field
  (await agent.settled('x')).text;
  // @ts-expect-error it is a function
  budget.remaining > 5;
  // @ts-expect-error no text
  phase(1);
  // @ts-expect-error not there
  fetch('https://example.com');
  // @ts-expect-error not there
  process.exit();
}
void body;
