import { useState } from 'preact/hooks';
import { keysAreOn, keyTable, switchKeys } from './keyboard.ts';
import { Modal } from './modal.tsx';

export function Help({ onClose }: { readonly onClose: () => void }) {
  const [on, setOn] = useState(keysAreOn);
  const change = () => {
    switchKeys(!on);
    setOn(!on);
  };
  return (
    <Modal title="Keyboard" onClose={onClose}>
      <dl class="keys">
        {keyTable.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={on} onChange={change} /> Single keys are commands
      </label>
    </Modal>
  );
}
