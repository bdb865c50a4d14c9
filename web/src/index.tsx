import { live } from "./answer";
import { sound } from "./depth";
import { Form } from "./form";
import { mount } from "./frame";
import { watch } from "./holdings";
import { open, remember } from "./order";
import { See } from "./see";
import { load } from "./tokens";
import { discover } from "./wallet";
import { WalletButton } from "./wallets";

mount(
  <div class="swap">
    <Form />
    <See />
  </div>,
  <WalletButton />,
);
discover();
watch();

/** The list may not be there yet when the page is: it is asked for until it is. */
async function begin(): Promise<void> {
  while (!(await load().then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 1000));
  open();
  remember();
  live();
  sound();
}

void begin();
