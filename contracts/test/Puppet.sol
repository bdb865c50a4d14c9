// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Plays any part a test needs: executor, pool, recipient, hook of a
/// token. What it does when called is written down beforehand per selector;
/// native that comes without data is selector 0. A call of its own that fails
/// makes it revert with the reason.
contract Puppet {
    struct Act {
        address target;
        uint256 value;
        bytes data;
    }

    mapping(bytes4 => Act[]) private acts;
    mapping(bytes4 => bytes) private answers;

    function teach(bytes4 selector, Act[] calldata script, bytes calldata answer) external {
        delete acts[selector];
        for (uint256 i; i < script.length; i++) acts[selector].push(script[i]);
        answers[selector] = answer;
    }

    receive() external payable {
        play(0);
    }

    fallback(bytes calldata) external payable returns (bytes memory) {
        play(msg.sig);
        return answers[msg.sig];
    }

    function play(bytes4 selector) private {
        Act[] storage script = acts[selector];
        for (uint256 i; i < script.length; i++) {
            (bool ok, bytes memory reason) = script[i].target.call{value: script[i].value}(script[i].data);
            if (!ok) {
                assembly ("memory-safe") {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
    }
}
