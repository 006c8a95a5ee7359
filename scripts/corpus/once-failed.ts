/** Documents that the service once refused, or made otherwise than the command: they stay in the sample. */
export const ONCE_FAILED: readonly string[] = [
  'sc/qa/uitest/data/hashIncompatible.xlsx',
  'sc/qa/uitest/data/tdf117868.csv',
  'sc/qa/unit/data/dataprovider/csv/test1.csv',
  'sc/qa/unit/data/xls/pass/crash-2.xls',
  'sd/qa/unit/data/ppt/pass/ofz37370-1.ppt',
  'sw/qa/core/data/ww6/pass/crash-3.doc',
  'sw/qa/core/data/ww8/pass/ofz46457-1.doc',
  'sw/qa/extras/odfexport/data/tdf115815.odt',
  'sw/qa/extras/ooxmlexport/data/090716_Studentische_Arbeit_VWS.docx',
  'sw/qa/extras/ooxmlexport/data/tdf104354_firstParaInSection.docx',
  'sw/qa/extras/ooxmlexport/data/tdf104707_urlComment.odt',
  'sw/qa/extras/ooxmlexport/data/tdf143583_emptyParaAtEndOfFootnote.docx',
  'sw/qa/extras/ww8export/data/comments-nested.doc',
  'sw/qa/python/testdocuments/xtextrange.odt',
];
