import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { inflateRawSync } from 'node:zlib';

/** The marks that the parts of a zip file begin with. */
const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const stored = 0;
const deflated = 8;

/**
 * Unpacks a zip file: the code of a function that the app has packed by itself. Lambda accepts no file over 50 MB, so all of it fits
 * into memory, and needs no ZIP64.
 *
 * @throws Error if it is no zip file, or one of its files would be written outside of the folder
 */
export async function unzip(file: string, folder: string): Promise<void> {
  const zip = await readFile(file);
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || zip.readUInt32LE(end) !== endOfDirectory) throw new Error(`${file} is not a zip file.`);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== directoryEntry) throw new Error(`The directory of ${file} is damaged.`);
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const target = join(folder, name);
    if (relative(folder, target).startsWith('..'))
      throw new Error(`${file} has a file outside of its folder: ${name}.`);
    if (name.endsWith('/')) await mkdir(target, { recursive: true });
    else await extract(zip, at, target);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}

async function extract(zip: Buffer, at: number, target: string): Promise<void> {
  const method = zip.readUInt16LE(at + 10);
  const size = zip.readUInt32LE(at + 20);
  const local = zip.readUInt32LE(at + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const data = zip.subarray(start, start + size);
  if (method !== stored && method !== deflated) throw new Error(`${target} is packed in an unknown way (${method}).`);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, method === deflated ? inflateRawSync(data) : data);
}
