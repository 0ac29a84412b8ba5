export const meta = {
  name: 'hello',
  description: 'Three agents greet, a fourth one chooses',
  phases: [{ title: 'Greet' }, { title: 'Choose' }],
}

const whom = (args && args.whom) || 'the world'

phase('Greet')
const greetings = await parallel(
  ['English', 'French', 'Japanese'].map((language) => () =>
    agent(`Greet ${whom} in ${language}, in one line.`, { label: language }),
  ),
)

phase('Choose')
const choice = await agent(`Which of these is the friendliest?\n${greetings.filter((g) => g !== null).join('\n')}`, {
  label: 'choose',
  schema: {
    type: 'object',
    properties: { greeting: { type: 'string' }, reason: { type: 'string' } },
    required: ['greeting', 'reason'],
  },
})
if (choice === null) throw new Error('nobody chose; the log says why')
return choice
