/** How much a query's word says about the tool that is wanted, before its rarity in the catalogue is looked at. */

/** Grammar: says nothing. */
const STOP = `
a an the this that these those of in on at to for from by with without about into onto over under between through
during and or nor but if then else so as than is are was were be been being am do does did done doing have has had
having i me my mine myself we us our ours you your yours he him his she her hers it its they them their theirs who whom
whose which what when where why how there here not no only own such too very can could will would shall should may might
must just also s t re ve ll d m dont doesnt didnt im ive id ill lets cant isnt arent wasnt wont couldnt whats theres
thats youre via per up down out off again once both each few more most other others some any all every either neither
yes ok okay hi hello hey thanks thank
`;

/** The frame around a wish ("I need help finding the latest …") and words that any tool could be described with. */
const FILLER = `
please kindly help assist assistance want wants need needs like love know let give tell show ask see make sure able use
using used way ways based base following provide provides provided look looking find finding thing things something
anything someone everything kind sort type good better best great nice perfect latest recent recently new current
currently today now right tomorrow yesterday upcoming additionally furthermore moreover finally lastly first second next
after before afterwards later along well many much lot lots several various variety different specific specifically
particular certain possible potential available relevant related tool tools function functions functionality operation
operations platform platforms service services api plugin information info details detail detailed interested
interesting interest curious wondering wonder trying try tried including include includes included comprehensive
complete full overall general simple easy quick quickly suitable appropriate proper high low big small large step steps
instruction instructions guidance option options idea ideas tip tips last past really feel feeling think thinking got
get going go come take important useful effective additional further extra whether allow allows enable enables handle
handling
`;

/** Verbs and praise that are now the wish itself, now only its frame. */
const FRAME = `
suggest suggestion suggestions recommend recommendation recommendations popular top explain describe understand explore
discover
`;

const FILLER_WEIGHT = 0.4;
const FRAME_WEIGHT = 0.6;
const NUMBER_WEIGHT = 0.1;

const listed = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));
const STOP_WORDS = listed(STOP);
const FILLER_WORDS = listed(FILLER);
const FRAME_WORDS = listed(FRAME);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** True for words that may carry a search alone; a query without any falls back on the others. */
export function isTelling(word: string): boolean {
  return !STOP_WORDS.has(word) && !FILLER_WORDS.has(word) && !isNumber(word);
}

/** From 0 to 1. */
export function wordWeight(word: string): number {
  if (STOP_WORDS.has(word)) return 0;
  if (FILLER_WORDS.has(word)) return FILLER_WEIGHT;
  if (FRAME_WORDS.has(word)) return FRAME_WEIGHT;
  return isNumber(word) ? NUMBER_WEIGHT : 1;
}

function isNumber(word: string): boolean {
  return /^\p{N}+$/u.test(word);
}
