import { type Command, help, type Io, type Line } from './command.ts';

/** The words that may follow each command. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(commands: readonly Command[]): Words {
  return new Map(
    commands.map(({ name, names, options }) => [
      name,
      [...(names.words ?? []), ...Object.keys({ ...options, help }).map((option) => `--${option}`)],
    ]),
  );
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
  { names: [shell] }: Line<object, 'bash' | 'zsh'>,
  { out }: Io,
  commands: readonly Command[],
): Promise<number> {
  const words = wordsOf(commands);
  out.text(shell === 'zsh' ? zsh(words) : bash(words));
  return 0;
}
