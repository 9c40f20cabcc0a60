import { breaks, type Mutant } from './mutant.ts';

/** Breakages of what an operator does with money and with data: remedies, what they may cost, and what is forgotten. */

type Forget = typeof import('../../lib/pawl/rules/forget.ts');
type Remedy = typeof import('../../lib/pawl/rules/remedy.ts');
type Reservations = typeof import('../../lib/pawl/rules/reservations.ts');

const ofForget = (what: string, breakage: (original: Forget) => Partial<Forget>): Mutant =>
  breaks<Forget>(what, 'lib/pawl/rules/forget.ts', breakage);
const ofRemedy = (what: string, breakage: (original: Remedy) => Partial<Remedy>): Mutant =>
  breaks<Remedy>(what, 'lib/pawl/rules/remedy.ts', breakage);
const ofReservations = (what: string, breakage: (original: Reservations) => Partial<Reservations>): Mutant =>
  breaks<Reservations>(what, 'lib/pawl/rules/reservations.ts', breakage);

export const remedies: readonly Mutant[] = [
  ofRemedy('a person approves a remedy that they asked for', ({ approvalRefused, remedyStep }) => ({
    approvalRefused(...args) {
      const refused = approvalRefused(...args);
      return refused === 'own-request' ? undefined : refused;
    },
    remedyStep(state, isOpen, wanted) {
      const { request, approval } = state;
      const isOwn = approval !== undefined && approval.identity === request?.identity;
      const seen = isOwn ? { ...state, approval: { ...approval, identity: `${approval.identity}-2` } } : state;
      return remedyStep(seen, isOpen, wanted);
    },
  })),
  ofRemedy('an approval holds for another amount', ({ remedyStep }) => ({
    remedyStep: (state, isOpen, wanted) =>
      remedyStep(state, isOpen, { ...wanted, amount: state.request?.amount ?? wanted.amount }),
  })),
  ofRemedy('an approval of an earlier request holds for a later one', ({ remedyStep }) => ({
    remedyStep(state, isOpen, wanted) {
      const { request, approval } = state;
      const later = request && approval ? { ...state, approval: { ...approval, of: request.id } } : state;
      return remedyStep(later, isOpen, wanted);
    },
  })),
  ofRemedy('a remedy begins anew where one has begun', ({ remedyStep }) => ({
    remedyStep: ({ remedy: _, ...state }, ...rest) => remedyStep(state, ...rest),
  })),
  ofRemedy('a remedy that failed for good is tried again', ({ remedyStep }) => ({
    remedyStep: ({ remedy, ...state }, ...rest) =>
      remedyStep({ ...state, ...(remedy ? { remedy: { ...remedy, failed: undefined } } : {}) }, ...rest),
  })),
  ofRemedy('a remedy in doubt gives its reservation back', ({ reservationFate }) => ({
    reservationFate(...args) {
      const fate = reservationFate(...args);
      return fate === 'look' ? 'give-back' : fate;
    },
  })),
  ofRemedy('what happened is not spent', ({ reservationFate }) => ({
    reservationFate(...args) {
      const fate = reservationFate(...args);
      return fate === 'confirm' ? 'give-back' : fate;
    },
  })),
  ofReservations('what is reserved does not count towards the limit of the day', ({ reserve, takenOf }) => ({
    takenOf: (found, now) => takenOf(found && { ...found, open: [] }, now),
    reserve: (found, wanted, { perDay }, now) =>
      reserve(
        found,
        wanted,
        {
          perDay: {
            count: perDay.count + (found?.open.length ?? 0),
            amount: perDay.amount + (found?.open ?? []).reduce((sum, { amount }) => sum + amount, 0),
          },
        },
        now,
      ),
  })),
  ofReservations('each run has a reservation of its own for a finding', ({ reserve }) => ({
    reserve(found, wanted, ...rest) {
      const hidden = found && {
        ...found,
        open: found.open.map((one) => (one.finding === wanted.finding ? { ...one, finding: `${one.finding}'` } : one)),
      };
      return reserve(hidden, wanted, ...rest);
    },
  })),
  ofReservations('a reservation is confirmed twice', ({ endReservation }) => ({
    endReservation(found, id, how, now) {
      const ended = endReservation(found, id, how, now);
      const kept = found?.open.filter((one) => one.id === id) ?? [];
      return ended && how === 'confirm' ? { ...ended, open: [...ended.open, ...kept] } : ended;
    },
  })),
  ofReservations('a worker whose clock is behind begins an earlier day', ({ endReservation, reserve }) => {
    const anew = (found: Parameters<Reservations['reserve']>[0], now: number) =>
      found && found.day > new Date(now).toISOString().slice(0, 10) ? { ...found, day: '' } : found;
    return {
      reserve: (found, wanted, limits, now) => reserve(anew(found, now), wanted, limits, now),
      endReservation: (found, id, how, now) => endReservation(anew(found, now), id, how, now),
    };
  }),
  ofForget('a claim that may still run is forgotten', ({ forget }) => ({
    forget(found, forgotten, revision) {
      const decided = forget(found, forgotten, revision);
      if (decided.kind !== 'refused' || found === undefined) return decided;
      if (decided.why !== 'not-decided') return decided;
      const as = forget({ ...found, status: 'completed' }, forgotten, revision);
      return as.kind === 'write' ? { ...as, seen: found } : as;
    },
  })),
  ofForget('what is forgotten runs again', ({ forget }) => ({
    forget(...args) {
      const decided = forget(...args);
      return decided.kind === 'write' ? { ...decided, next: { ...decided.next, status: 'released' } } : decided;
    },
  })),
  ofForget('what is forgotten keeps its result', ({ forget }) => ({
    forget(...args) {
      const decided = forget(...args);
      if (decided.kind !== 'write') return decided;
      return { ...decided, next: { ...decided.next, result: decided.seen.result } };
    },
  })),
  ofForget('another payload is taken for what was forgotten', ({ forget }) => ({
    forget(...args) {
      const decided = forget(...args);
      return decided.kind === 'write' ? { ...decided, next: { ...decided.next, fingerprint: undefined } } : decided;
    },
  })),
  ofForget('a claim that changed since it was looked at is forgotten', ({ forget }) => ({
    forget: (found, forgotten) => forget(found, forgotten, found?.rev),
  })),
];
