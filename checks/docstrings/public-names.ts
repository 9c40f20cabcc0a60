import type { Node } from 'typescript/unstable/ast';
import { isVariableDeclaration } from 'typescript/unstable/ast/is';
import {
  API,
  type Checker,
  type Symbol as Named,
  type Project,
  SignatureKind,
  SymbolFlags,
  type Type,
} from 'typescript/unstable/sync';
import { type Comment, commentAbove, type Example } from './comment.ts';

/**
 * The public names of the entries, with their docstrings, as TypeScript reads them.
 *
 * Owns: which name is a function, a class or an option type. Does not own: what each must have (`../docstrings.ts`).
 *
 * TypeScript 7 has no other interface for programs yet than the one that it calls unstable. All use of it is in this file and in `comment.ts`.
 */

/**
 * An option type is what a caller passes: its name says so, or a public function takes it, or what such a function returns
 * takes it.
 */
type Kind = 'function' | 'class' | 'option type' | 'other';

export interface PublicName {
  readonly name: string;
  readonly kind: Kind;
  /** Whether it exists at run time. What does not is imported as a type. */
  readonly isValue: boolean;
  readonly comment: Comment;
  /** Those of its docstring, and those of its methods. */
  readonly examples: readonly Example[];
  /** Those of an option type, with those of its bases. The members of a union are told of where it lists them. */
  readonly options: readonly Option[];
}

interface Option {
  readonly name: string;
  /** It may be left out of an object that holds nothing but options. */
  readonly needsDefault: boolean;
  readonly comment: Comment;
}

/** The public names of one entry. */
export interface Entry {
  readonly name: string;
  readonly names: readonly PublicName[];
}

interface Reader {
  readonly root: string;
  readonly project: Project;
  readonly checker: Checker;
}

/** How the name of a type ends that is only there for its options. */
const ends = ['Options', 'Props', 'Query', 'Wanted'];

const isOfOptions = ({ name }: Named) => ends.some((end) => name.endsWith(end));

/**
 * @param config the path of the program's `tsconfig.json`
 * @param entries the name of each entry, and the path of its module
 * @param root the folder of the sources: the options of other packages are declared outside of it
 */
export function publicNames(config: string, entries: ReadonlyMap<string, string>, root: string): readonly Entry[] {
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProject: config }).getProject(config);
    if (project === undefined) throw new Error(`TypeScript could not open ${config}`);
    const reader: Reader = { root, project, checker: project.checker };
    const exported = Array.from(entries, ([name, path]) => ({ name, symbols: exportsOf(reader, path) }));
    const symbols = new Map(exported.flatMap(({ symbols }) => symbols.map((symbol) => [symbol.id, symbol])));
    const passed = passedTypes(reader, symbols);
    const read = new Map(
      Array.from(symbols, ([id, symbol]) => [id, readName(reader, symbol, kindOf(reader, symbol, passed))] as const),
    );
    return exported.map(({ name, symbols }) => ({ name, names: symbols.flatMap(({ id }) => read.get(id) ?? []) }));
  } finally {
    api.close();
  }
}

function exportsOf({ project, checker }: Reader, path: string): readonly Named[] {
  const file = project.program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${path} is no module of the program`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (has(symbol, SymbolFlags.Alias) ? checker.getAliasedSymbol(symbol) : symbol));
}

function has(symbol: Named, flags: SymbolFlags): boolean {
  return (symbol.flags & flags) !== 0;
}

/** The exported types of what public functions and constructors take, and of what the functions that they return take. */
function passedTypes({ root, checker }: Reader, symbols: ReadonlyMap<number, Named>): ReadonlySet<number> {
  const passed = new Set<number>();
  function signaturesOf(type: Type) {
    return [SignatureKind.Call, SignatureKind.Construct].flatMap((kind) => checker.getSignaturesOfType(type, kind));
  }
  function pass(type: Type): void {
    const signatures = signaturesOf(type);
    const types = signatures.flatMap((signature) =>
      signature.getParameters().map((taken) => checker.getTypeOfSymbol(taken)),
    );
    for (const part of types.flatMap((taken) => (taken ? partsOf(taken) : []))) {
      for (const symbol of [part.getAliasSymbol(), part.getSymbol()]) {
        if (symbol !== undefined && symbols.has(symbol.id) && isObject(checker, part)) passed.add(symbol.id);
      }
    }
  }
  for (const symbol of symbols.values()) {
    const type = has(symbol, SymbolFlags.Value) ? checker.getTypeOfSymbol(symbol) : undefined;
    if (type === undefined || isError(symbol)) continue;
    pass(type);
    if (has(symbol, SymbolFlags.Class)) continue;
    for (const signature of signaturesOf(type)) {
      const returned = checker.getReturnTypeOfSignature(signature);
      if (returned === undefined) continue;
      pass(returned);
      for (const method of checker.getPropertiesOfType(returned)) {
        const its = isOurs(root, method) ? checker.getTypeOfSymbol(method) : undefined;
        if (its !== undefined) pass(its);
      }
    }
  }
  return passed;
}

/** A type and, of a union or an intersection, its members. */
function partsOf(type: Type): readonly Type[] {
  const parts = type.isUnionType() || type.isIntersectionType() ? (type.getTypes() ?? []) : [];
  return [type, ...parts.flatMap(partsOf)];
}

/** It has fields or can be called. A text or a number needs no example. */
function isObject(checker: Checker, type: Type): boolean {
  return partsOf(type).some((part) => part.isObjectType() && !checker.isArrayType(part));
}

/** The classes of errors are made by pawl. */
function isError(symbol: Named): boolean {
  return symbol.name.endsWith('Error');
}

function isOurs(root: string, { declarations }: Named): boolean {
  return declarations.some(({ path }) => path.startsWith(root));
}

function kindOf({ checker }: Reader, symbol: Named, passed: ReadonlySet<number>): Kind {
  if (has(symbol, SymbolFlags.Class)) return 'class';
  if (has(symbol, SymbolFlags.Value)) return isCallable(checker, symbol) ? 'function' : 'other';
  return isOfOptions(symbol) || passed.has(symbol.id) ? 'option type' : 'other';
}

/** A constant may be a function as well. */
function isCallable(checker: Checker, symbol: Named): boolean {
  const type = checker.getTypeOfSymbol(symbol);
  return type !== undefined && checker.getSignaturesOfType(type, SignatureKind.Call).length > 0;
}

function readName(reader: Reader, symbol: Named, kind: Kind): PublicName {
  const comment = commentOf(reader, symbol);
  const members = has(symbol, SymbolFlags.Type) ? membersOf(reader, symbol) : [];
  return {
    name: symbol.name,
    kind,
    isValue: has(symbol, SymbolFlags.Value),
    comment,
    examples: [...comment.examples, ...members.flatMap((member) => member.comment.examples)],
    options: kind === 'option type' ? members : [],
  };
}

/** What a type declares, with its bases. Nothing of a union: its members share no more than the name that tells them apart. */
function membersOf(reader: Reader, symbol: Named): readonly Option[] {
  const { checker, root } = reader;
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const properties = type.isUnionType() ? [] : checker.getPropertiesOfType(type);
  return properties
    .filter((property) => isOurs(root, property))
    .map((property) => ({
      name: property.name,
      needsDefault: isOfOptions(symbol) && has(property, SymbolFlags.Optional),
      comment: commentOf(reader, property),
    }))
    .filter(({ comment }) => !comment.tags.includes('internal'));
}

/** Of several declarations, the first one that says something, with the examples of all. */
function commentOf({ project, root }: Reader, { name, declarations }: Named): Comment {
  const comments = declarations
    .flatMap((handle) => handle.resolve(project) ?? [])
    .map((node) => commentAbove(statementOf(node), root));
  const comment = comments.find(({ text }) => text !== '') ?? comments[0];
  if (comment === undefined) throw new Error(`${name} is declared nowhere`);
  return { ...comment, examples: comments.flatMap(({ examples }) => examples) };
}

/** The docstring of a constant stands above its statement. */
function statementOf(node: Node): Node {
  return isVariableDeclaration(node) ? node.parent.parent : node;
}
