import { register } from '../lib/cli/registry'

register(
  {
    name: 'completion',
    summary: 'Print a completion script for a shell',
    description: `Prints a script that completes svc's commands, flags and their values, files and the topics of svc \
help. It asks svc itself for them, and sends nothing.

To load it in the current session:

  bash        source <(svc completion bash)
  zsh         source <(svc completion zsh)
  fish        svc completion fish | source
  powershell  svc completion powershell | Out-String | Invoke-Expression

Put that line into the shell's start-up file to have it in every session.`,
    flags: [],
    positionals: [
      {
        name: 'shell',
        summary: 'the shell',
        required: true,
        oneOf: ['bash', 'zsh', 'fish', 'powershell'],
      },
    ],
    examples: [
      { command: 'svc completion bash > ~/.local/share/bash-completion/completions/svc' },
      { command: 'svc completion fish > ~/.config/fish/completions/svc.fish' },
    ],
  },
  async () => (await import('./run/completion')).runCompletion,
)

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
  async () => (await import('./run/completion')).runComplete,
)
