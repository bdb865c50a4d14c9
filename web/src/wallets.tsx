import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { shortAddress } from "./amount";
import { Dialog } from "./dialog";
import { local } from "./local";
import { NATIVE } from "./tokens";
import { account, connect, disconnect, wallet, wallets, type Wallet } from "./wallet";
import { explain } from "./explain";

export const walletDialogOpen = signal(false);

export function WalletButton() {
  const address = account.value;
  return (
    <>
      <button type="button" class={address ? "wallet connected" : "wallet"} onClick={() => (walletDialogOpen.value = true)}>
        {address ? <span class="mono">{shortAddress(address)}</span> : "Connect"}
      </button>
      {walletDialogOpen.value && <WalletDialog />}
    </>
  );
}

function WalletDialog() {
  const [errorText, setErrorText] = useState("");
  const close = () => (walletDialogOpen.value = false);
  const pick = (chosen: Wallet) =>
    connect(chosen).then(close, (error: unknown) => setErrorText(explain(error, NATIVE, NATIVE).title));
  if (account.value) {
    return (
      <Dialog title={wallet.value!.name} close={close} class="small">
        <p class="mono address">{account.value}</p>
        <button type="button" class="plain" onClick={() => (disconnect(), close())}>
          Disconnect
        </button>
      </Dialog>
    );
  }
  return (
    <Dialog title="Connect a wallet" close={close} class="small">
      {wallets.value.map((found) => (
        <button type="button" class="choice" key={found.id} onClick={() => void pick(found)}>
          {found.icon ? <img src={found.icon} alt="" width="32" height="32" /> : <span class="knot" aria-hidden="true" />}
          <span>
            {found.name}
            {found.id === "local" && <small class="soft">funded, for this local chain only</small>}
          </span>
        </button>
      ))}
      {!wallets.value.length && <p>No wallet was found in this browser. Install one that speaks EIP-6963, then reload the page.</p>}
      {local && wallets.value.length === 1 && <p class="soft">No wallet was found in this browser. The local account needs none.</p>}
      {errorText && <p role="alert" class="trouble">{errorText}</p>}
    </Dialog>
  );
}
