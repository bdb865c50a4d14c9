// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title Trial
/// @notice Makes swaps and tells what they took, paid and burnt. It is never
/// deployed: its code comes along with an eth_call, at an address that no
/// contract has met before. Every trip runs in a frame of its own that
/// reverts, so that each of them begins in the state of the block.
contract Trial {
    struct Leg {
        address tokenIn;
        address tokenOut;
        uint256 value; // wei; 0: the Router pulls tokenIn, which is approved first
        bytes data; // of the call of the Router
    }

    struct Trip {
        uint256 gas; // most that it may use
        Leg[] legs;
    }

    struct Outcome {
        bool ok; // the Router did not revert
        uint256 taken; // of tokenIn; 0 for a leg that is paid in native currency
        uint256 paid; // of tokenOut
        uint256 gas; // of the call of the Router
    }

    /// @notice The outcomes of each trip, ABI-encoded, up to its first leg that
    /// failed. Empty for one that ran out of gas, and one byte for one that was
    /// not run, because less gas was left than it may use.
    function run(address router, Trip[] calldata trips) external returns (bytes[] memory results) {
        results = new bytes[](trips.length);
        for (uint256 i = 0; i < trips.length; i++) {
            if ((gasleft() * 63) / 64 < trips[i].gas + 10_000) {
                results[i] = hex"00";
                continue;
            }
            try this.trip{gas: trips[i].gas}(router, trips[i].legs) {}
            catch (bytes memory outcomes) {
                results[i] = outcomes;
            }
        }
    }

    /// @notice Makes the legs of a trip and reverts with their outcomes.
    function trip(address router, Leg[] calldata legs) external {
        Outcome[] memory outcomes = new Outcome[](legs.length);
        for (uint256 i = 0; i < legs.length; i++) {
            outcomes[i] = swap(router, legs[i]);
            if (!outcomes[i].ok) break;
        }
        bytes memory data = abi.encode(outcomes);
        assembly {
            revert(add(data, 32), mload(data))
        }
    }

    function swap(address router, Leg calldata leg) private returns (Outcome memory o) {
        if (leg.value == 0) approve(leg.tokenIn, router);
        uint256 before = balance(leg.tokenOut);
        uint256 had = leg.value == 0 ? balance(leg.tokenIn) : 0;
        bytes memory data = leg.data;
        uint256 value = leg.value;
        uint256 start = gasleft();
        bool ok;
        assembly {
            ok := call(gas(), router, value, add(data, 32), mload(data), 0, 0)
        }
        o.gas = start - gasleft();
        uint256 received = balance(leg.tokenOut);
        uint256 left = leg.value == 0 ? balance(leg.tokenIn) : 0;
        unchecked {
            // A token may say anything: what makes no sense equals no quote.
            o.ok = ok;
            o.taken = had - left;
            o.paid = received - before;
        }
    }

    /// @notice The hash of the code of each account, and the word that a call
    /// without data returns. Where the call's overrides place code that returns
    /// a storage slot, the latter is that slot.
    function inspect(address[] calldata accounts) external view returns (bytes32[] memory codes, bytes32[] memory words) {
        codes = new bytes32[](accounts.length);
        words = new bytes32[](accounts.length);
        for (uint256 i = 0; i < accounts.length; i++) {
            address account = accounts[i];
            bytes32 code = account.codehash;
            bytes32 word;
            assembly {
                mstore(0, 0)
                pop(staticcall(50000, account, 0, 0, 0, 32))
                if gt(returndatasize(), 31) { word := mload(0) }
            }
            (codes[i], words[i]) = (code, word);
        }
    }

    /// @dev Without a limit to the data that a token returns it could use up all
    /// gas by it.
    function balance(address token) private view returns (uint256 n) {
        assembly {
            mstore(0, 0x70a08231) // balanceOf(address)
            mstore(32, address())
            if staticcall(gas(), token, 28, 36, 0, 32) {
                if gt(returndatasize(), 31) { n := mload(0) }
            }
        }
    }

    function approve(address token, address spender) private {
        assembly {
            let data := mload(0x40)
            mstore(data, 0x095ea7b3) // approve(address,uint256)
            mstore(add(data, 32), spender)
            mstore(add(data, 64), not(0))
            pop(call(gas(), token, 0, add(data, 28), 68, 0, 0))
        }
    }

    receive() external payable {}
}
