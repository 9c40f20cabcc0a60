import type { Io } from './command.ts';
import { COMMANDS } from './commands.ts';

const USAGE = `Prints a completion of pawl's commands and options.

Usage: pawl completion bash|zsh

  bash   eval "$(pawl completion bash)"   in ~/.bashrc
  zsh    eval "$(pawl completion zsh)"    in ~/.zshrc, after compinit`;

/** The words that may follow each command. */
type Words = ReadonlyMap<string, readonly string[]>;

const flags = (options: object) => Object.keys(options).map((option) => `--${option}`);

async function wordsOf(): Promise<Words> {
  // Not before it is needed: every command loads this file.
  const [{ DOCTOR_OPTIONS }, { TEMPLATE_OPTIONS }, { FORMATS }] = await Promise.all([
    import('./doctor.ts'),
    import('./template.ts'),
    import('pawl/deployment'),
  ]);
  return new Map([
    ...COMMANDS.map(({ name, options }) => [name, flags(options)] as const),
    ['doctor', flags(DOCTOR_OPTIONS)],
    ['template', [...Object.keys(FORMATS), ...flags(TEMPLATE_OPTIONS)]],
    ['completion', ['bash', 'zsh', '--help']],
  ]);
}

const bash = (words: Words) => `_pawl() {
  local words="${[...words.keys()].join(' ')}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    words="--help"
    case "\${COMP_WORDS[1]}" in
${Array.from(words, ([command, those]) => `    ${command}) words="${those.join(' ')}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _pawl pawl
`;

/** Zsh completes with the function of bash. */
const zsh = (words: Words) => `autoload -Uz bashcompinit && bashcompinit
${bash(words)}`;

/** `pawl completion`. @returns the exit code */
export async function completion(
  [shell]: readonly string[],
  { out, error }: Pick<Io, 'out' | 'error'>,
): Promise<number> {
  switch (shell) {
    case 'bash':
      out.text(bash(await wordsOf()));
      return 0;
    case 'zsh':
      out.text(zsh(await wordsOf()));
      return 0;
    case '--help':
      out.text(`${USAGE}\n`);
      return 0;
    default:
      error.text(`${USAGE}\n`);
      return 2;
  }
}
