import type { Io } from './command.ts';
import { COMMANDS } from './commands.ts';

const USAGE = `Prints a completion of pawl's commands and options.

Usage: pawl completion bash|zsh

  bash   eval "$(pawl completion bash)"   in ~/.bashrc
  zsh    eval "$(pawl completion zsh)"    in ~/.zshrc, after compinit`;

/** Without those of doctor and template, which read their own arguments. */
const words = () => [...COMMANDS.map(({ name }) => name), 'doctor', 'template', 'completion'].join(' ');

const optionsOf = () =>
  COMMANDS.map(
    ({ name, options }) =>
      `    ${name}) words="${Object.keys(options)
        .map((option) => `--${option}`)
        .join(' ')}" ;;`,
  ).join('\n');

const bash = () => `_pawl() {
  local words="${words()}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    words="--help"
    case "\${COMP_WORDS[1]}" in
${optionsOf()}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _pawl pawl
`;

/** Zsh completes with the function of bash. */
const zsh = () => `autoload -Uz bashcompinit && bashcompinit
${bash()}`;

/** `pawl completion`. @returns the exit code */
export function completion([shell]: readonly string[], { out, error }: Io): number {
  switch (shell) {
    case 'bash':
      out.write(bash());
      return 0;
    case 'zsh':
      out.write(zsh());
      return 0;
    case '--help':
      out.write(`${USAGE}\n`);
      return 0;
    default:
      error.write(`${USAGE}\n`);
      return 2;
  }
}
