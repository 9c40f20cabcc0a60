import { memoryStore } from '../../../lib/pawl/index.ts';
import { remedyLaws } from '../../suites/laws/remedies.ts';

remedyLaws('memoryStore', () => memoryStore());

/** The response of each write is lost: it is sent again, and finds itself. */
remedyLaws('memoryStore, whose writes are sent twice', () => {
  const store = memoryStore();
  return {
    read: (id) => store.read(id),
    readNote: (id) => store.readNote(id),
    listPlace: (query) => store.listPlace(query),
    async write(write) {
      await store.write(write);
      return store.write(write);
    },
    async writeNote(write) {
      await store.writeNote(write);
      return store.writeNote(write);
    },
  };
});
