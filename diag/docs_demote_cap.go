package diag

// capDocs are the codes of caps, unroll factors and pins.
var capDocs = []Doc{}
