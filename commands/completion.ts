import { register } from '../lib/cli/registry'

register(
  {
    name: 'completion',
    summary: 'Print a completion script for a shell',
    description: `Prints a script that completes svc's commands, flags and their values, files and the topics of svc \
help. The script runs svc to find them. It sends nothing.

To load it in the current session:

  bash        source <(svc completion bash)
  zsh         source <(svc completion zsh)
  fish        svc completion fish | source
  powershell  svc completion powershell | Out-String | Invoke-Expression

To load it in every session, put that line into the start-up file of the shell.`,
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
    summary: 'Print the completions of a word for the scripts of svc completion',
    description: `The scripts of svc completion call this. The words of the command line follow --; the last one is the \
word to complete. Each line has a candidate, a tab and a summary. A line with :files or :folders, a tab, the part of the word before \
the path, a tab and the path tells the shell to complete a path.`,
    flags: [],
    positionals: [
      { name: 'shell', summary: 'the shell that runs the script', required: true },
      { name: 'word', summary: 'the words of the command line', takesRemaining: true },
    ],
    examples: [{ command: `svc __complete zsh -- review --min` }],
    hidden: true,
  },
  async () => (await import('./run/completion')).runComplete,
)
