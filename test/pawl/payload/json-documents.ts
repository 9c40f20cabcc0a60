/**
 * JSON documents by chance: what they mean, the many forms in which the same can be written, and changes of meaning.
 * All of it comes from seeds, so that a failure can be had again.
 */

/** A JSON document before it has a form: what it means, apart from how it is written. */
type Doc =
  | null
  | boolean
  | { readonly text: string }
  | { readonly digits: bigint; readonly power: number }
  | { readonly list: readonly Doc[] }
  | { readonly fields: ReadonlyMap<string, Doc> };

/** Takes the next number below `below` from a list of random ones. The shape of a document is one seed, its form another. */
type Dice = (below: number) => number;

export function dice(seed: number): Dice {
  let state = seed | 0;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

function pick<T>(roll: Dice, [first, ...rest]: readonly [T, ...T[]]): T {
  const at = roll(rest.length + 1);
  return at === 0 ? first : (rest[at - 1] ?? first);
}

/** In NFC, every one: a text that is not would have another form that is equal to it. */
const characters = [...'ab01 .-+eE"\\/\n\t\u0000\u007f\u2028éöÅ😂'] as unknown as readonly [string, ...string[]];

const textOf = (roll: Dice) => Array.from({ length: roll(5) }, () => pick(roll, characters)).join('');

function numberOf(roll: Dice): Doc {
  const length = pick(roll, [1, 2, 3, 5, 15, 16, 17, 20, 25]);
  const digits = Array.from({ length }, () => roll(10)).join('');
  const power = pick(roll, [0, 0, 0, -1, -2, -2, -5, -16, -30, 2, 7, 21, 90, -90, 300, -320, 400, -400]);
  return { digits: BigInt(roll(3) === 0 ? `-${digits}` : digits), power };
}

export function docOf(roll: Dice, levels: number): Doc {
  switch (roll(levels > 0 ? 8 : 5)) {
    case 0:
      return pick(roll, [null, true, false]);
    case 1:
      return { text: textOf(roll) };
    case 2:
    case 3:
    case 4:
      return numberOf(roll);
    case 5:
      return { list: Array.from({ length: roll(4) }, () => docOf(roll, levels - 1)) };
    default:
      return { fields: new Map(Array.from({ length: roll(5) }, () => [nameOf(roll), docOf(roll, levels - 1)])) };
  }
}

/**
 * No backslash in a name: once V8 has seen `{"a":1,"\\":2}`, it reads `{"a":1,"\u0062":2}` as `{"a":1,"\\":2}`
 * (nodejs/node#63785, Node 24). Every handler that calls JSON.parse reads it so, and no fingerprint can tell.
 */
function nameOf(roll: Dice): string {
  const name = textOf(roll).replaceAll('\\', '');
  return pick(roll, ['a', 'b', 'id', 'amount', '__proto__', 'constructor', '1', '10', name, name]);
}

/** Writes a document in one of the many forms in which JSON can say it. */
export function jsonOf(doc: Doc, roll: Dice): string {
  const space = () => pick(roll, ['', '', '', ' ', '\n\t', '\r\n']);
  const join = (parts: readonly string[]) => parts.map((part) => space() + part + space()).join(',');
  if (doc === null || typeof doc === 'boolean') return String(doc);
  if ('text' in doc) return stringForm(doc.text, roll);
  if ('digits' in doc) return numberForm(doc.digits, doc.power, roll);
  if ('list' in doc) return `[${join(doc.list.map((part) => jsonOf(part, roll)))}${space()}]`;
  const fields = shuffled([...doc.fields], roll).map(
    ([name, part]) => `${stringForm(name, roll)}${space()}:${space()}${jsonOf(part, roll)}`,
  );
  return `{${join(fields)}${space()}}`;
}

function shuffled<T>(list: readonly T[], roll: Dice): T[] {
  return list
    .map((item) => ({ item, at: roll(1 << 30) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function stringForm(text: string, roll: Dice): string {
  const units = [...(roll(2) === 0 ? text.normalize('NFD') : text)].flatMap((character) => {
    if (roll(3) > 0) return character === '/' && roll(2) === 0 ? '\\/' : JSON.stringify(character).slice(1, -1);
    const hex = [...Array(character.length).keys()].map((i) => character.charCodeAt(i).toString(16).padStart(4, '0'));
    return hex.map((digits) => `\\u${roll(2) === 0 ? digits.toUpperCase() : digits}`);
  });
  return `"${units.join('')}"`;
}

/** digits × 10^power, with the point somewhere, zeros that say nothing, and an exponent to make up for it. */
function numberForm(digits: bigint, power: number, roll: Dice): string {
  if (digits === 0n) return pick(roll, ['0', '-0', '0.0', '-0.00', '0e5', '0E+400', '-0.0e-3']);
  const sign = digits < 0n ? '-' : '';
  let text = String(digits).replace('-', '');
  let exponent = power;
  // Short numbers without an exponent, as people write them, or else the point anywhere.
  const plain = Math.abs(power) < 25 && roll(2) === 0;
  if (plain && power >= 0) return `${sign}${text}${'0'.repeat(power)}${pick(roll, ['', '.0', '.000'])}`;
  const shift = plain ? -power : roll(text.length + 3);
  text = text.padStart(shift + 1, '0');
  exponent += shift;
  const whole = text.slice(0, text.length - shift).replace(/^0+(?=\d)/, '');
  const fraction = text.slice(text.length - shift) + '0'.repeat(roll(3) === 0 ? roll(20) : 0);
  const mantissa = fraction === '' ? whole : `${whole}.${fraction}`;
  if (exponent === 0 && roll(2) === 0) return sign + mantissa;
  const plus = exponent < 0 ? '' : pick(roll, ['', '+']);
  return `${sign}${mantissa}${pick(roll, ['e', 'E'])}${plus}${exponent < 0 ? '-' : ''}${pick(roll, ['', '0', '00'])}${Math.abs(exponent)}`;
}

/** What a document means, in a form as far as possible from the one under test: to know whether a change was one. */
export function meaningOf(doc: Doc): unknown {
  if (doc === null || typeof doc === 'boolean') return doc;
  if ('text' in doc) return `text ${doc.text}`;
  if ('list' in doc) return doc.list.map(meaningOf);
  if ('fields' in doc)
    return [...doc.fields]
      .map(([name, part]) => [name, meaningOf(part)])
      .sort()
      .concat([['fields']]);
  let { digits, power } = doc;
  for (; digits !== 0n && digits % 10n === 0n; power++) digits /= 10n;
  return digits === 0n ? 'number 0' : `number ${digits} ${power}`;
}

/** Every place in a document, as a function that puts something else there. */
function placesOf(doc: Doc): { readonly there: Doc; readonly put: (other: Doc) => Doc }[] {
  const here = { there: doc, put: (other: Doc) => other };
  if (doc === null || typeof doc === 'boolean') return [here];
  if ('list' in doc) {
    const inside = doc.list.flatMap((part, i) =>
      placesOf(part).map(({ there, put }) => ({
        there,
        put: (other: Doc) => ({ list: doc.list.with(i, put(other)) }),
      })),
    );
    return [here, ...inside];
  }
  if ('fields' in doc) {
    const inside = [...doc.fields].flatMap(([name, part]) =>
      placesOf(part).map(({ there, put }) => ({
        there,
        put: (other: Doc) => ({ fields: new Map(doc.fields).set(name, put(other)) }),
      })),
    );
    return [here, ...inside];
  }
  return [here];
}

/** One change of meaning, somewhere. Now and then it changes nothing; `meaningOf` tells. */
export function changed(doc: Doc, roll: Dice): Doc {
  const places = placesOf(doc);
  const place = places[roll(places.length)];
  if (place === undefined) return doc;
  const { there, put } = place;
  if (there === null) return put(pick<Doc>(roll, [{ text: 'null' }, false, { list: [] }, { fields: new Map() }]));
  if (typeof there === 'boolean')
    return put(pick<Doc>(roll, [!there, { text: String(there) }, { digits: 1n, power: 0 }]));
  const deeper = pick<Doc>(roll, [{ list: [there] }, { fields: new Map([['a', there]]) }]);
  if ('text' in there) {
    const { text } = there;
    return put(pick<Doc>(roll, [{ text: `${text}a` }, { text: text.slice(1) }, { text: ` ${text}` }, null, deeper]));
  }
  if ('digits' in there) {
    const { digits, power } = there;
    const last = digits % 2n === 0n ? digits + 1n : digits - 1n;
    const at = 10n ** BigInt(roll(String(digits).length));
    const other = [
      { digits: last, power },
      { digits: digits + at, power },
      { digits: -digits, power },
    ] as const;
    const written: Doc = { text: String(digits) };
    return put(
      pick<Doc>(roll, [
        ...other,
        ...other,
        { digits, power: power + 1 },
        { digits, power: power - 1 },
        written,
        deeper,
      ]),
    );
  }
  if ('list' in there) {
    const { list } = there;
    const at = roll(list.length + 1);
    const swapped = list.map((part, i) => list[i === at ? at + 1 : i === at + 1 ? at : i] ?? part);
    const added = list.toSpliced(at, 0, docOf(roll, 1));
    return put(pick<Doc>(roll, [{ list: swapped }, { list: added }, { list: list.toSpliced(at, 1) }, deeper]));
  }
  const fields = new Map(there.fields);
  const name = [...fields.keys()][roll(fields.size || 1)];
  const part = name === undefined ? undefined : fields.get(name);
  if (name === undefined || part === undefined || roll(3) === 0)
    return put({ fields: fields.set(nameOf(roll), docOf(roll, 1)) });
  fields.delete(name);
  return put(pick<Doc>(roll, [{ fields }, { fields: new Map(fields).set(`${name}x`, part) }, deeper]));
}

/** The same document with fields added that are to be ignored, at every level below the root as well. */
export function withNoise(doc: Doc, roll: Dice, path = ''): { readonly doc: Doc; readonly ignored: readonly string[] } {
  if (doc === null || typeof doc === 'boolean' || 'text' in doc || 'digits' in doc) return { doc, ignored: [] };
  if ('list' in doc) {
    const parts = doc.list.map((part) => withNoise(part, roll, `${path}*.`));
    return { doc: { list: parts.map((part) => part.doc) }, ignored: parts.flatMap((part) => part.ignored) };
  }
  const parts = [...doc.fields].map(([name, part]) => ({ name, ...withNoise(part, roll, `${path}${name}.`) }));
  const fields = new Map(parts.map((part) => [part.name, part.doc]));
  const ignored = parts.flatMap((part) => part.ignored);
  if (roll(2) === 0) return { doc: { fields }, ignored };
  return { doc: { fields: fields.set('zzNoise', docOf(roll, 1)) }, ignored: [...ignored, `${path}zzNoise`] };
}

/** A document as a JavaScript value, as far as there is one; see `jsNumbersOf`. */
export function inJavaScript(doc: Doc): unknown {
  if (doc === null || typeof doc === 'boolean') return doc;
  if ('text' in doc) return doc.text;
  if ('digits' in doc) return jsNumberOf(doc.digits, doc.power);
  if ('list' in doc) return doc.list.map(inJavaScript);
  return Object.fromEntries([...doc.fields].map(([name, part]) => [name, inJavaScript(part)]));
}

function jsNumberOf(digits: bigint, power: number): number | bigint | undefined {
  if (power >= 0) return digits * 10n ** BigInt(power);
  return String(digits).length <= 15 && power > -91 ? Number(`${digits}e${power}`) : undefined;
}

export function jsNumbersOf(doc: Doc): readonly boolean[] {
  if (doc === null || typeof doc === 'boolean' || 'text' in doc) return [];
  if ('digits' in doc) return [jsNumberOf(doc.digits, doc.power) !== undefined];
  return ('list' in doc ? [...doc.list] : [...doc.fields.values()]).flatMap(jsNumbersOf);
}

export function jsonNames(doc: Doc): readonly string[] {
  if (doc === null || typeof doc === 'boolean' || 'text' in doc || 'digits' in doc) return [];
  if ('list' in doc) return doc.list.flatMap(jsonNames);
  return [...doc.fields].flatMap(([name, part]) => [name, ...jsonNames(part)]);
}
