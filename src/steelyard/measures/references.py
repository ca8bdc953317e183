"""Where do the definitions come from?"""

from __future__ import annotations

from dataclasses import dataclass

# fmt: off


@dataclass(frozen=True)
class Reference:
    """A publication."""

    key: str
    text: str
    doi: str = ""


@dataclass(frozen=True)
class Citation:
    """A place in a publication."""

    key: str
    where: str = ""

    @property
    def reference(self) -> Reference:
        return REFERENCES[self.key]

    def __str__(self) -> str:
        return f"{self.key} {self.where}".strip()


REFERENCES = {
    reference.key: reference
    for reference in (
        Reference("mullick2020", "Mullick, Datta, Dhekane, Das: Appropriateness of performance indices for imbalanced data classification: an analysis. Pattern Recognition 102, 2020", "10.1016/j.patcog.2020.107197"),
        Reference("branco2017", "Branco, Torgo, Ribeiro: Relevance-based evaluation metrics for multi-class imbalanced domains. PAKDD 2017", "10.1007/978-3-319-57454-7_54"),
        Reference("garcia2012", "García, Sánchez, Mollineda: On the suitability of numerical performance measures for class imbalance problems. ICPRAM 2012", "10.5220/0003783303100313"),
        Reference("skrabanek2017", "Škrabánek, Doležel: On reporting performance of binary classifiers. Scientific Papers of the University of Pardubice D 41, 2017"),
        Reference("mortaz2020", "Mortaz: Imbalance accuracy metric for model selection in multi-class imbalance classification problems. Knowledge-Based Systems 210, 2020", "10.1016/j.knosys.2020.106490"),
        Reference("batuwita2009", "Batuwita, Palade: A new performance measure for class imbalance learning. ICMLA 2009"),
        Reference("bradley2006", "Bradley, Duin, Paclik, Landgrebe: Precision-recall operating characteristic (P-ROC) curves in imprecise environments. ICPR 2006"),
        Reference("brodersen2010", "Brodersen, Ong, Stephan, Buhmann: The balanced accuracy and its posterior distribution. ICPR 2010", "10.1109/ICPR.2010.764"),
        Reference("cohen1960", "Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960", "10.1177/001316446002000104"),
        Reference("cohen2006", "Cohen, Hilario, Sax, Hugonnet, Geissbuhler: Learning from imbalanced data in surveillance of nosocomial infection. Artificial Intelligence in Medicine 37, 2006"),
        Reference("fowlkes1983", "Fowlkes, Mallows: A method for comparing two hierarchical clusterings. JASA 78, 1983", "10.1080/01621459.1983.10478008"),
        Reference("garcia2010", "García, Mollineda, Sánchez: Theoretical analysis of a performance measure for imbalanced data. ICPR 2010"),
        Reference("glas2003", "Glas, Lijmer, Prins, Bonsel, Bossuyt: The diagnostic odds ratio: a single indicator of test performance. J. Clinical Epidemiology 56, 2003", "10.1016/S0895-4356(03)00177-X"),
        Reference("gorodkin2004", "Gorodkin: Comparing two K-category assignments by a K-category correlation coefficient. Computational Biology and Chemistry 28, 2004", "10.1016/j.compbiolchem.2004.09.006"),
        Reference("davis2006", "Davis, Goadrich: The relationship between precision-recall and ROC curves. ICML 2006", "10.1145/1143844.1143874"),
        Reference("delong1988", "DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated receiver operating characteristic curves: a nonparametric approach. Biometrics 44, 1988", "10.2307/2531595"),
        Reference("drummond2006", "Drummond, Holte: Cost curves: an improved method for visualizing classifier performance. Machine Learning 65, 2006", "10.1007/s10994-006-8199-5"),
        Reference("fawcett2006", "Fawcett: An introduction to ROC analysis. Pattern Recognition Letters 27, 2006", "10.1016/j.patrec.2005.10.010"),
        Reference("hand2001", "Hand, Till: A simple generalisation of the area under the ROC curve for multiple class classification problems. Machine Learning 45, 2001", "10.1023/A:1010920819831"),
        Reference("hand2009", "Hand: Measuring classifier performance: a coherent alternative to the area under the ROC curve. Machine Learning 77, 2009", "10.1007/s10994-009-5119-5"),
        Reference("hanley1982", "Hanley, McNeil: The meaning and use of the area under a receiver operating characteristic (ROC) curve. Radiology 143, 1982", "10.1148/radiology.143.1.7063747"),
        Reference("jaccard1912", "Jaccard: The distribution of the flora in the alpine zone. New Phytologist 11, 1912"),
        Reference("kubat1997", "Kubat, Matwin: Addressing the curse of imbalanced training sets: one-sided selection. ICML 1997"),
        Reference("matthews1975", "Matthews: Comparison of the predicted and observed secondary structure of T4 phage lysozyme. BBA 405, 1975", "10.1016/0005-2795(75)90109-9"),
        Reference("mcclish1989", "McClish: Analyzing a portion of the ROC curve. Medical Decision Making 9, 1989", "10.1177/0272989X8900900307"),
        Reference("mosley2013", "Mosley: A balanced approach to the multi-class imbalance problem. Iowa State University, 2013"),
        Reference("powers2011", "Powers: Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and correlation. J. Machine Learning Technologies 2, 2011"),
        Reference("ranawana2006", "Ranawana, Palade: Optimized precision: a new measure for classifier performance evaluation. CEC 2006"),
        Reference("rijsbergen1979", "van Rijsbergen: Information Retrieval. Butterworths, 1979"),
        Reference("sindhwani2001", "Sindhwani, Bhattacharya, Rakshit: Information theoretic feature crediting in multiclass support vector machines. SDM 2001"),
        Reference("sokolova2009", "Sokolova, Lapalme: A systematic analysis of performance measures for classification tasks. Information Processing and Management 45, 2009", "10.1016/j.ipm.2009.03.002"),
        Reference("sun2006", "Sun, Kamel, Wang: Boosting for learning multiple classes with imbalanced class distribution. ICDM 2006", "10.1109/ICDM.2006.29"),
        Reference("wei2010", "Wei, Yuan, Hu, Wang: A novel measure for evaluating classifiers. Expert Systems with Applications 37, 2010", "10.1016/j.eswa.2009.11.040"),
        Reference("weng2008", "Weng, Poon: A new evaluation measure for imbalanced datasets. AusDM 2008"),
        Reference("youden1950", "Youden: Index for rating diagnostic tests. Cancer 3, 1950", "10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3"),
        Reference("altman1994", "Altman, Bland: Diagnostic tests 2: predictive values. BMJ 309, 1994", "10.1136/bmj.309.6947.102"),
    )
}


def cite(key: str, where: str = "") -> Citation:
    """A citation whose key is known; a misspelt key fails at import, not in front of a reader."""
    if key not in REFERENCES:
        raise KeyError(key)
    return Citation(key, where)
