package diag

// ladderDocs are the codes of what the ladder found.
var ladderDocs = []Doc{}
