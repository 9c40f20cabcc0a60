/*
 * What a report of checks/api says, taken apart, and how two of them differ for a user.
 *
 * Owns: what is gone, what is demanded anew, what is another one, what is new. Does not own: which version may do that (`version.ts`).
 *
 * It reads text, as API Extractor prints it, and knows no types. Where it cannot tell whether a change harms, it says that there is one.
 */

/** One declaration, or one of its members. */
export interface Change {
  /**
   * `breaking`: code that uses it does not compile any more, or an option of it is refused. `changed`: a person has to look. `internal`: the same of what an
   * entry uses and does not export. `addition`: nothing that exists is another one.
   */
  readonly kind: 'breaking' | 'changed' | 'internal' | 'addition';
  /** What a changelog must name: the export, and its member. */
  readonly names: readonly string[];
  readonly text: string;
}

/** The text of each report, by the entry that it is of: `pawl/sqs`. */
export type Reports = ReadonlyMap<string, string>;

interface Member {
  readonly isOptional: boolean;
  /** Without its name. */
  readonly type: string;
}

interface Declaration {
  readonly name: string;
  readonly isExported: boolean;
  readonly text: string;
  /** What stands before its members. */
  readonly head: string;
  /** Nothing where it has none, or where its text is no plain list of them. */
  readonly members: ReadonlyMap<string, Member> | undefined;
}

const declaration =
  /^(?<exported>export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|enum) (?<name>\w+)/;

function declarationsOf(report: string): ReadonlyMap<string, Declaration> {
  const [, code = ''] = /```ts\n([\s\S]*)\n```/.exec(report) ?? [];
  const found = new Map<string, Declaration>();
  for (const text of code.split('\n\n')) {
    const { exported, name } = declaration.exec(text)?.groups ?? {};
    if (name === undefined) continue;
    const before = found.get(name);
    // The overloads of a function are one declaration.
    const whole = before === undefined ? text : `${before.text}\n${text}`;
    found.set(name, { name, isExported: exported !== undefined, text: whole, ...partsOf(whole) });
  }
  return found;
}

function partsOf(text: string): Pick<Declaration, 'head' | 'members'> {
  const [head = '', ...lines] = text.split('\n');
  const last = lines.at(-1);
  const isList =
    head.endsWith('{') &&
    (last === '}' || last === '};') &&
    lines.slice(0, -1).every((line) => line.startsWith('    '));
  if (!isList) return { head: text, members: undefined };
  const members = new Map<string, Member>();
  let current = '';
  const take = () => {
    if (current === '') return;
    const [name, member] = memberOf(current);
    const before = members.get(name);
    members.set(name, before === undefined ? member : { ...member, type: `${before.type} ${member.type}` });
    current = '';
  };
  for (const line of lines.slice(0, -1)) {
    // Deeper lines, and a brace that closes them, belong to the member before.
    if (!/^ {4}[^\s})\]]/.test(line)) current += `\n${line}`;
    else {
      take();
      current = line;
    }
  }
  take();
  return { head, members };
}

function memberOf(text: string): readonly [string, Member] {
  const plain = text.trim();
  const { name, optional, type } =
    /^(?:(?:readonly|static|protected|private|abstract|get|set) )*(?<name>'[^']+'|\[[^\]]+\]|#?[\w$]+)(?<optional>\?)?(?<type>[:(<;][\s\S]*)$/.exec(
      plain,
    )?.groups ?? {};
  if (name === undefined || type === undefined) return [plain, { isOptional: true, type: plain }];
  return [name, { isOptional: optional !== undefined, type }];
}

/** What a user of the last version meets in this one. */
export function changesBetween(last: Reports, now: Reports): readonly Change[] {
  const changes: Change[] = [];
  const all = allOf(now);
  const before = allOf(last);
  const given = givenByUsers(all);
  const compared = (one: Declaration, other: Declaration) =>
    membersChanged(flattened(one, before), flattened(other, all), given);
  for (const [entry, report] of last) {
    const current = now.get(entry);
    if (current === undefined) changes.push({ kind: 'breaking', names: [entry], text: `the entry ${entry} is gone` });
    else changes.push(...changesOf(entry, exported(report), exported(current), compared));
  }
  for (const entry of now.keys())
    if (!last.has(entry)) changes.push({ kind: 'addition', names: [entry], text: `the entry ${entry} is new` });
  for (const old of before) {
    if (old.isExported) continue;
    const named = all.filter(({ name }) => name === old.name);
    // Several modules may each have a type of this name, and an entry may export one of them.
    if (named.some(({ text }) => bare(text) === bare(old.text))) continue;
    const after = named.find(({ isExported }) => !isExported) ?? named[0];
    if (after !== undefined)
      changes.push(
        ...compared(old, after).map((change) =>
          change.kind === 'changed' ? ({ ...change, kind: 'internal' } as const) : change,
        ),
      );
  }
  // The same type may be exported by several entries, and used without an export by another.
  const known = new Set<string>();
  return changes.filter(({ text }) => !known.has(text) && known.add(text));
}

function allOf(reports: Reports): readonly Declaration[] {
  return [...reports.values()].flatMap((report) => [...declarationsOf(report).values()]);
}

/**
 * With the members of what it extends among its own, as its users see it: one that has moved to a base is not gone. A base that is not in the reports, or
 * that is made from another one (`Omit<…>`), stays in the head.
 */
function flattened(declaration: Declaration, all: readonly Declaration[]): Declaration {
  const [name = '', bases] = declaration.head.split(/ extends (?=[^<>]*(?:<.*>)?[^<>]* \{$)/);
  if (declaration.members === undefined || bases === undefined) return declaration;
  const found = bases
    .replace(/ \{$/, '')
    .split(/, (?![^<]*>)/)
    .map((base) => all.find((one) => one.name === base.replace(/<.*/, '')));
  if (found.some((base) => base?.members === undefined)) return declaration;
  const inherited = found.flatMap((base) => (base === undefined ? [] : [...(flattened(base, all).members ?? [])]));
  return { ...declaration, head: `${name} {`, members: new Map([...inherited, ...declaration.members]) };
}

function bare(text: string): string {
  return plain(text.replaceAll(/^export /gm, ''));
}

function exported(report: string): ReadonlyMap<string, Declaration> {
  return new Map([...declarationsOf(report)].filter(([, { isExported }]) => isExported));
}

type Declarations = ReadonlyMap<string, Declaration>;

function changesOf(
  entry: string,
  last: Declarations,
  now: Declarations,
  compared: (one: Declaration, other: Declaration) => readonly Change[],
): readonly Change[] {
  const gone = [...last.keys()].filter((name) => !now.has(name));
  const added = [...now.keys()].filter((name) => !last.has(name));
  return [
    ...gone.map(
      (name) => ({ kind: 'breaking', names: [name], text: `${entry} exports no \`${name}\` any more` }) as const,
    ),
    ...added.map((name) => ({ kind: 'addition', names: [name], text: `${entry} exports \`${name}\`` }) as const),
    ...[...last].flatMap(([name, before]) => {
      const after = now.get(name);
      return after === undefined ? [] : compared(before, after);
    }),
  ];
}

function membersChanged(before: Declaration, after: Declaration, given: ReadonlySet<string>): readonly Change[] {
  const { name } = before;
  const changed: Change = { kind: 'changed', names: [name], text: `\`${name}\` has another type` };
  if (before.members === undefined || after.members === undefined)
    return plain(before.text) === plain(after.text) ? [] : [changed];
  const old = before.members;
  const fresh = after.members;
  const changes: Change[] = plain(before.head) === plain(after.head) ? [] : [changed];
  const added = [...fresh].filter(([member]) => !old.has(member));
  for (const [member, { isOptional, type }] of old) {
    const names = [name, member];
    const found = fresh.get(member);
    if (found === undefined) {
      const renamed = added.find(([, candidate]) => plain(candidate.type) === plain(type))?.[0];
      const hint = renamed === undefined ? '' : ` (is it \`${renamed}\` now?)`;
      changes.push({ kind: 'breaking', names, text: `\`${member}\` of \`${name}\` is gone${hint}` });
    } else if (isOptional && !found.isOptional && given.has(name))
      changes.push({ kind: 'breaking', names, text: `\`${member}\` of \`${name}\` is required now` });
    else if (isOptional !== found.isOptional || plain(type) !== plain(found.type))
      changes.push({ kind: 'changed', names, text: `\`${member}\` of \`${name}\` has another type` });
  }
  for (const [member, { isOptional }] of added) {
    const names = [name, member];
    // Nothing but pawl makes an object of a class.
    const isDemanded = !isOptional && given.has(name) && !isClass(after);
    changes.push(
      isDemanded
        ? { kind: 'breaking', names, text: `\`${member}\` of \`${name}\` is new and required` }
        : { kind: 'addition', names, text: `\`${member}\` of \`${name}\` is new` },
    );
  }
  return changes;
}

/** However it is broken into lines. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The types of which a user makes values: parameters of what is exported, and what these are made of. A callback's parameters are the library's. */
function givenByUsers(all: readonly Declaration[]): ReadonlySet<string> {
  const given = new Set<string>();
  const take = (text: string) => {
    for (const [found] of text.matchAll(/\b[A-Z]\w*/g)) {
      if (given.has(found)) continue;
      const declarations = all.filter(({ name }) => name === found);
      if (declarations.length > 0) given.add(found);
      for (const declaration of declarations) take(withoutGroups(withoutArguments(declaration)));
    }
  };
  for (const { isExported, text } of all) {
    if (!isExported) continue;
    const functions = [...text.matchAll(/(?:function \w+[^(]*|constructor)(?=\()/g)];
    for (const {
      0: { length },
      index,
    } of functions)
      take(withoutGroups(groupAt(text, index + length).slice(1, -1)));
  }
  return given;
}

function isClass({ head }: Declaration): boolean {
  return /^(export )?(declare )?(abstract )?class /.test(head);
}

/** Without what the types that it extends are about: options of messages are given, and messages are not. */
function withoutArguments({ head, text }: Declaration): string {
  const [name = '', ...bases] = head.split(/(?=\bextends\b)/);
  return `${name}${bases.join('').replaceAll(/<.*>/g, '')}${text.slice(head.length)}`;
}

/** The text from one parenthesis to the one that closes it. */
function groupAt(text: string, start: number): string {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return text.slice(start, index + 1);
  }
  return text.slice(start);
}

function withoutGroups(text: string): string {
  let plainText = '';
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') index += groupAt(text, index).length - 1;
    else plainText += text[index];
  }
  return plainText;
}
