import { register } from '../lib/cli/registry'

register(
  {
    name: '__complete',
    summary: 'Print what can stand in place of the word that is being typed',
    description: `The scripts of svc completion call this. The words stand behind --, the last one being the word to \
complete. Each line has a candidate, a tab and a summary, or :files or :folders, a tab, the part of the word that is \
no path, a tab, and the rest.`,
    flags: [],
    positionals: [
      { name: 'shell', summary: 'the shell that asks', required: true },
      { name: 'word', summary: 'the words of the command line', many: true },
    ],
    examples: [{ command: `svc __complete zsh -- review --min` }],
    hidden: true,
  },
  async () => (await import('./complete-run')).runComplete,
)
