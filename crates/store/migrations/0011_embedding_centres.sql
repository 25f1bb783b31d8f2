-- Where the vectors of a model lie.

-- Vectors of one model lie close together, around a centre that is far from
-- zero. A bit of a code says on which side of the centre a component lies; on
-- which side of zero, nearly all vectors would agree. Without a row the centre
-- is zero, which is what codes made before this step are right for.
CREATE TABLE embedding_centres (
  model TEXT NOT NULL,
  dims INTEGER NOT NULL CHECK (dims > 0),
  chunking INTEGER NOT NULL,
  -- How many places were taken when it was found.
  n_places INTEGER NOT NULL,
  vector BLOB NOT NULL,
  PRIMARY KEY (model, dims, chunking)
) STRICT;
