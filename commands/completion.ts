import { register } from '../lib/cli/registry'

register(
  {
    name: 'completion',
    summary: 'Print a completion script for a shell',
    description: `Prints a script that completes svc's commands, flags and their values, files, the units of svc \
review and the topics of svc help. It asks svc itself for them, and sends nothing.

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
  async () => (await import('./completion-run')).runCompletion,
)
