"use strict";
/* Makes the AI of github.com/gorisanson/quoridor-ai, which plays in a browser, an engine of the text protocol.

   node quoridor_ai.js CHECKOUT [ROLLOUTS]

   CHECKOUT is a copy of that project, of which game.js and ai.js are read; ROLLOUTS for a move, 7500 unless said (its
   levels on the web page are 500, 2500, 7500, 20000 and 60000). Games of two players on the common board, from the
   start. For a tournament:  --agents "engine:node benchmarks/peers/quoridor_ai.js CHECKOUT 7500" */

const fs = require("fs");
const path = require("path");
const readline = require("readline");
const vm = require("vm");

const EXPLORATION = 0.2; // what its web page uses

const [checkout, rolloutsText] = process.argv.slice(2);
const rollouts = Number(rolloutsText ?? 7500);
if (checkout === undefined || !Number.isInteger(rollouts) || rollouts < 1) {
    process.stderr.write("expected: node quoridor_ai.js CHECKOUT [ROLLOUTS], with a whole number of rollouts\n");
    process.exit(2);
}

function load() {
    // its two files are scripts of one page, so they must be run in one global scope: this one, since a scope of their
    // own (vm.createContext) makes them three times slower; they also log to the console, which here is the protocol's
    console.log = () => {};
    for (const name of ["game.js", "ai.js"]) {
        const file = path.join(checkout, "src", "js", name);
        vm.runInThisContext(fs.readFileSync(file, "utf8"), { filename: file });
    }
    return vm.runInThisContext("({ Game, AI })");
}

let peer;
try {
    peer = load();
} catch (error) {
    process.stderr.write(`cannot read quoridor-ai at ${checkout}: ${error.message}\n`);
    process.exit(2);
}

const FILES = "abcdefghi";

function toPeer(word) {
    const match = /^([a-i])([1-9])([hv]?)$/.exec(word.toLowerCase());
    if (match === null) {
        throw new Error(`'${word}' is no move`);
    }
    const file = FILES.indexOf(match[1]);
    const rank = Number(match[2]);
    // rows count from the top; a fence is named by its upper row there, by its lower rank here
    if (match[3] === "") {
        return [[9 - rank, file], null, null];
    }
    return match[3] === "h" ? [null, [8 - rank, file], null] : [null, null, [8 - rank, file]];
}

function fromPeer([pawn, horizontal, vertical]) {
    if (pawn !== null) {
        return FILES[pawn[1]] + (9 - pawn[0]);
    }
    const [row, file] = horizontal ?? vertical;
    return FILES[file] + (8 - row) + (horizontal ? "h" : "v");
}

function play(words) {
    const game = new peer.Game(true);
    for (const word of words) {
        if (!game.doMove(toPeer(word), true)) {
            throw new Error(`'${word}' is not legal for this program`);
        }
    }
    return game;
}

function say(line) {
    process.stdout.write(line + "\n");
}

let game = play([]);

function answer(line) {
    const words = line.trim().split(/\s+/);
    switch (words[0]) {
        case "ugi":
        case "uci":
            say(`id name quoridor-ai ${rollouts}`);
            say("id author gorisanson");
            say(words[0] + "ok");
            break;
        case "isready":
            say("readyok");
            break;
        case "position": {
            if (words[1] !== "startpos") {
                throw new Error("only games from 'startpos' can be played");
            }
            game = play(words.slice(3));
            break;
        }
        case "go":
            say("bestmove " + fromPeer(new peer.AI(rollouts, EXPLORATION).chooseNextMove(game)));
            break;
        case "quit":
            process.exit(0);
            break;
        default: // setoption, uginewgame and what else there is: nothing to do
            break;
    }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
    try {
        answer(line);
    } catch (error) {
        say(`info string error ${error.message}`);
    }
});
