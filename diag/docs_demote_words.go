package diag

// wordsDocs are the codes of words that move to shared memory.
var wordsDocs = []Doc{}
